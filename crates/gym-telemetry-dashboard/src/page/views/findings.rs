use crate::page::{
    ask::Scene,
    findings::{self, Finding},
    panel::{Content, Panel},
};

pub(super) fn panels(scene: &Scene<'_>) -> Vec<Panel> {
    vec![panel(findings::all(scene))]
}

/// What the rules find.
pub(super) fn panel(items: Vec<Finding>) -> Panel {
    let help = "Sentences that documented rules derive from the data, what matters most first.";
    Panel::new("Findings", help, Content::Findings { items }).wide()
}
