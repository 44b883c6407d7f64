//! What the page is made of, embedded.

/// A file of the page.
#[derive(Debug)]
pub(super) struct Asset {
    /// Its name below `/assets/`.
    pub(super) name: &'static str,
    pub(super) content_type: &'static str,
    pub(super) text: &'static str,
}

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

/// Style sheets, in order.
pub(super) const STYLES: [Asset; 2] = [
    Asset { name: "uPlot.min.css", content_type: CSS, text: include_str!("../../assets/vendor/uplot/uPlot.min.css") },
    Asset { name: "page.css", content_type: CSS, text: include_str!("../../assets/page.css") },
];

/// Scripts, in order.
pub(super) const SCRIPTS: [Asset; 7] = [
    Asset {
        name: "uPlot.iife.min.js",
        content_type: JS,
        text: include_str!("../../assets/vendor/uplot/uPlot.iife.min.js"),
    },
    Asset { name: "words.js", content_type: JS, text: include_str!("../../assets/words.js") },
    Asset { name: "charts.js", content_type: JS, text: include_str!("../../assets/charts.js") },
    Asset { name: "graph.js", content_type: JS, text: include_str!("../../assets/graph.js") },
    Asset { name: "panels.js", content_type: JS, text: include_str!("../../assets/panels.js") },
    Asset { name: "question.js", content_type: JS, text: include_str!("../../assets/question.js") },
    Asset { name: "page.js", content_type: JS, text: include_str!("../../assets/page.js") },
];

/// The icon in the browser's tab.
pub(super) const ICON: Asset =
    Asset { name: "icon.svg", content_type: "image/svg+xml", text: include_str!("../../assets/icon.svg") };

/// The asset of this name.
pub(super) fn named(name: &str) -> Option<&'static Asset> {
    const ALL: [&[Asset]; 3] = [&STYLES, &SCRIPTS, &[ICON]];
    ALL.into_iter().flatten().find(|asset| asset.name == name)
}
