//! What the command does.

use std::path::Path;

use anyhow::{Context as _, Result};
use gym_telemetry_collector::{Collector, Observer, Settings as Receiving};
use gym_telemetry_dashboard::history::{History, Settings};
use gym_telemetry_dashboard::page::{Page, Settings as Serving, Source};
use gym_telemetry_dashboard::recording::{Recorder, replay};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{Receiver, Shown};
use crate::{show, tell};

/// Receives and shows until it is told to stop.
pub(crate) async fn receive(receiver: Receiver, shown: Shown) -> Result<()> {
    let settings = retained(&shown);
    let mut receiving =
        Receiving::new().http_address(receiver.listen).grpc_address(receiver.grpc).limits(settings.limits());
    if let Some(token) = &shown.token {
        receiving = receiving.allow_remote(token);
    }
    let history = History::new(settings);
    let collector = match &receiver.record {
        None => start(receiving, history.observer()).await?,
        Some(file) => start(receiving, (recorder(file)?, history.observer())).await?,
    };
    let [state, counts] = [collector.reader(), collector.reader()];
    let source = Source::new(history).with_state(move || state.state()).with_counts(move || counts.counts());
    let page = serve(shown, source).await?;
    show("OTLP/HTTP", &collector.http_endpoint());
    show("OTLP/gRPC", &collector.grpc_endpoint());
    show("page", &page.url());
    until_told().await?;
    collector.shutdown().await;
    page.shutdown().await;
    Ok(())
}

/// Shows a recorded run until it is told to stop.
pub(crate) async fn open(file: &Path, shown: Shown) -> Result<()> {
    let replayed = replay(file, retained(&shown))?;
    if let Some(at) = replayed.torn {
        tell(&format!("the recording is torn: what follows its first {at} bytes is left out"));
    }
    let state = replayed.state;
    let page = serve(shown, Source::new(replayed.history).with_state(move || state.clone())).await?;
    show("page", &page.url());
    until_told().await?;
    page.shutdown().await;
    Ok(())
}

fn retained(shown: &Shown) -> Settings {
    Settings::new().retention(shown.retention).max_series(shown.max_series)
}

async fn start(settings: Receiving, observer: impl Observer) -> Result<Collector> {
    Ok(Collector::start_observed(settings, observer).await?)
}

fn recorder(file: &Path) -> Result<Recorder> {
    let failed = |error| tell(&format!("recording has ended: {error}"));
    Recorder::create(file, failed).with_context(|| format!("cannot record to {}", file.display()))
}

async fn serve(shown: Shown, source: Source) -> Result<Page> {
    let mut settings = Serving::new().address(shown.page);
    if let Some(token) = shown.token {
        settings = settings.allow_remote(token);
    }
    Ok(Page::start(settings, source).await?)
}

/// Waits for an interrupt or a request to terminate.
async fn until_told() -> Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted?,
        _ = terminate.recv() => (),
    }
    Ok(())
}
