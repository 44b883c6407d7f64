//! The live page of a run, and what is left of it.

use std::{fs::File, io::BufWriter, path::Path};

use anyhow::{Context as _, Result};
use gym_telemetry_collector::Collector;
use gym_telemetry_dashboard::{
    history::History,
    page::{Page, Settings, Source, write_html},
};

use crate::{cli::Options, signals, tell};

/// The page of a run.
#[derive(Debug)]
pub(crate) struct RunPage {
    page: Page,
    source: Source,
}

impl RunPage {
    /// Serves it, and says where.
    pub(crate) async fn start(options: &Options, history: History, collector: &Collector) -> Result<Self> {
        let reader = collector.reader();
        let source = Source::new(history).with_state(move || reader.state());
        let page = Page::start(Settings::new().address(options.page), source.clone()).await;
        let page = page.context("cannot serve the page; --no-page does without")?;
        if !options.quiet {
            tell(&format!("the fleet is at {}", page.url()));
        }
        Ok(Self { page, source })
    }

    /// Keeps it up until Ctrl-C, or writes it beside the output, as the options say.
    pub(crate) async fn end(self, options: &Options, path: &Path) -> Result<()> {
        if options.keep {
            tell(&format!("the run is over; Ctrl-C ends its page, {}", self.page.url()));
            signals::asked_to_end().await?;
        } else {
            let path = path.to_owned();
            let source = self.source;
            let bad = format!("cannot write {}", path.display());
            let write = move || write_html(&source, BufWriter::new(File::create(path)?));
            tokio::task::spawn_blocking(write).await?.context(bad)?;
        }
        self.page.shutdown().await;
        Ok(())
    }
}
