//! The signals that ask a run to end.

use anyhow::Result;

/// Waits until the process is asked to end: by Ctrl-C, by whoever terminates it, or because its terminal is gone.
#[cfg(unix)]
pub(crate) async fn asked_to_end() -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let hangup = async {
        // Listening for it would undo what `nohup` does.
        if ignores_hangup() {
            return std::future::pending().await;
        }
        signal(SignalKind::hangup())?.recv().await;
        std::io::Result::Ok(())
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        hung_up = hangup => hung_up?,
    }
    Ok(())
}

/// Waits until Ctrl-C.
#[cfg(not(unix))]
pub(crate) async fn asked_to_end() -> Result<()> {
    Ok(tokio::signal::ctrl_c().await?)
}

/// Whether whoever started the process had it ignore the end of its terminal.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    use std::sync::LazyLock;
    // Asked once: afterwards it is this process that listens.
    static IGNORES: LazyLock<bool> = LazyLock::new(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        // The first bit is the first signal, which is this one.
        ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
    });
    *IGNORES
}
