use crate::page::{
    ask::Scene,
    findings,
    panel::{Content, Panel},
};

pub(super) fn panels(scene: &Scene<'_>) -> Vec<Panel> {
    vec![panel(scene)]
}

/// What the rules find.
pub(super) fn panel(scene: &Scene<'_>) -> Panel {
    let help = "Sentences that documented rules derive from the data, what matters most first.";
    Panel::new("Findings", help, Content::Findings { items: findings::all(scene) }).wide()
}
