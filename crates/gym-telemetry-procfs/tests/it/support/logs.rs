//! What the crate logs. Its thread logs to the process's subscriber, so there is one for all tests, and each looks for
//! lines that name a server of its own.

use std::{
    io,
    sync::{Arc, LazyLock, Mutex},
};

use tracing_subscriber::fmt::MakeWriter;

static LOGS: LazyLock<Logs> = LazyLock::new(|| {
    let logs = Logs::default();
    tracing_subscriber::fmt().with_writer(logs.clone()).with_ansi(false).init();
    logs
});

#[derive(Clone, Default)]
struct Logs(Arc<Mutex<Vec<u8>>>);

/// Collects what is logged from now on.
pub(crate) fn listen() {
    LazyLock::force(&LOGS);
}

/// How many lines hold all of these texts.
pub(crate) fn lines_with(texts: &[&str]) -> usize {
    let logged = LOGS.0.lock().unwrap();
    let logged = String::from_utf8_lossy(&logged);
    logged.lines().filter(|line| texts.iter().all(|text| line.contains(text))).count()
}

impl io::Write for Logs {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Logs {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
