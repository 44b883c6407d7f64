use std::time::Duration;

use super::{driver, findings, fleet, memory, metric, startup};
use crate::{
    history::History,
    page::{
        ask::{Question, Scene},
        panel::{Panel, View},
    },
};

/// The views that need no question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::page) enum Which {
    Fleet,
    Driver,
    Memory,
    Startup,
    Findings,
}

impl Which {
    pub(in crate::page) const ALL: [Self; 5] = [Self::Fleet, Self::Driver, Self::Memory, Self::Startup, Self::Findings];

    /// Its name in addresses.
    pub(in crate::page) fn name(self) -> &'static str {
        match self {
            Self::Fleet => "fleet",
            Self::Driver => "driver",
            Self::Memory => "memory",
            Self::Startup => "startup",
            Self::Findings => "findings",
        }
    }

    /// Its name on the page.
    pub(in crate::page) fn title(self) -> &'static str {
        match self {
            Self::Fleet => "Fleet",
            Self::Driver => "Driver",
            Self::Memory => "Memory",
            Self::Startup => "Start-up",
            Self::Findings => "Findings",
        }
    }

    /// The view of this name.
    pub(in crate::page) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|which| which.name() == name)
    }
}

/// Makes a view of what the history holds now.
pub(in crate::page) fn make(history: &History, which: Which, since: Duration) -> View {
    let revision = *history.revision().borrow();
    let scene = Scene::new(history, since);
    let panels = match which {
        Which::Fleet => fleet::panels(&scene),
        Which::Driver => driver::panels(&scene),
        Which::Memory => memory::panels(&scene),
        Which::Startup => startup::panels(&scene),
        Which::Findings => findings::panels(&scene),
    };
    view(&scene, revision, (which.name(), which.title()), panels)
}

/// Makes the view of one metric.
pub(in crate::page) fn make_metric(history: &History, question: Question) -> View {
    let revision = *history.revision().borrow();
    let scene = Scene::new(history, question.since);
    let question = Question { since: scene.since, ..question };
    let panels = metric::panels(&scene, question);
    view(&scene, revision, ("metric", "Metric"), panels)
}

fn view(scene: &Scene<'_>, revision: u64, (name, title): (&'static str, &'static str), panels: Vec<Panel>) -> View {
    let refused = scene.history.refused();
    let reporting = scene.reporting();
    View {
        name,
        title,
        revision,
        time: scene.now,
        live: scene.history.is_live(),
        since: u64::try_from(scene.since.as_millis()).unwrap_or(u64::MAX),
        reporting,
        gone: scene.processes.len() - reporting,
        refused: refused.over_limit.saturating_add(refused.malformed),
        panels,
    }
}
