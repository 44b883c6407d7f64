use std::fmt::Write as _;

use anyhow::{Context as _, Result};

use crate::{measure, subject::Subject, tell};

/// A benchmark, which has a section of its own on the page.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) name: &'static str,
    /// The crates whose versions matter to a reader.
    pub(crate) compared: &'static [&'static str],
    /// What it compares event by event.
    pub(crate) subjects: fn() -> Result<Vec<Subject>>,
    /// What it measures in a way of its own after that, in so many rounds.
    pub(crate) more: Option<fn(usize) -> Result<Findings>>,
}

/// What a benchmark has found out.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// In Markdown.
    pub(crate) text: String,
    /// One JSON object a measurement.
    pub(crate) json: Vec<String>,
}

impl Bench {
    /// Measures all that there is.
    pub(crate) fn run(&self, rounds: usize) -> Result<Findings> {
        let mut all = Findings::default();
        let subjects = (self.subjects)()?;
        if !subjects.is_empty() {
            all.add(measure::findings(&measure::run(self.name, &subjects, rounds)?)?);
        }
        // They may have servers of their own, which are to be gone by now.
        drop(subjects);
        if let Some(more) = self.more {
            all.add(more(rounds)?);
        }
        Ok(all)
    }

    /// Runs one of its subjects alone.
    pub(crate) fn run_alone(&self, stack: &str, events: u64) -> Result<()> {
        let subject = (self.subjects)()?.into_iter().find(|subject| subject.name == stack);
        subject.with_context(|| format!("`{}` has no stack `{stack}`", self.name))?.run(events);
        Ok(())
    }
}

impl Findings {
    fn add(&mut self, other: Self) {
        tell(&other.text);
        self.join(other);
    }

    fn join(&mut self, other: Self) {
        let gap = if self.text.is_empty() { "" } else { "\n" };
        let _ = write!(self.text, "{gap}{}", other.text);
        self.json.extend(other.json);
    }
}

impl FromIterator<Self> for Findings {
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        parts.into_iter().fold(Self::default(), |mut all, part| {
            all.join(part);
            all
        })
    }
}
