//! The frame around the panels: the same for every view, and nothing in it comes from outside.

use std::fmt::Write as _;

use super::{
    assets::{ICON, SCRIPTS, STYLES},
    views::Which,
};

/// The page of a view, whose panels its scripts fetch.
pub(super) fn served(name: &str, title: &str) -> String {
    let mut head = format!("<link rel=\"icon\" href=\"/assets/{}\">\n", ICON.name);
    for style in &STYLES {
        let _ = writeln!(head, "<link rel=\"stylesheet\" href=\"/assets/{}\">", style.name);
    }
    for script in &SCRIPTS {
        let _ = writeln!(head, "<script src=\"/assets/{}\" defer></script>", script.name);
    }
    frame(name, title, &head, "/", "")
}

/// A page that holds all of it: assets, and the data as JSON.
pub(super) fn whole(data: &str, nonce: &str) -> String {
    let mut head = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'nonce-{nonce}'; \
         style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'\">\n"
    );
    for style in &STYLES {
        let _ = writeln!(head, "<style nonce=\"{nonce}\">\n{}</style>", style.text);
    }
    // Within a script only `</` could end it early.
    let data = data.replace('<', "\\u003c");
    let mut scripts = format!("<script id=\"data\" type=\"application/json\">{data}</script>\n");
    for script in &SCRIPTS {
        let _ = writeln!(scripts, "<script nonce=\"{nonce}\">\n{}</script>", script.text);
    }
    frame(Which::Fleet.name(), Which::Fleet.title(), &head, "#", &scripts)
}

fn frame(name: &str, title: &str, head: &str, root: &str, tail: &str) -> String {
    let views = Which::ALL.into_iter().map(|which| (which.name(), which.title())).chain([("metric", "Metrics")]);
    let mut links = String::new();
    for (of, title) in views {
        let current = if of == name { " aria-current=\"page\"" } else { "" };
        let _ = writeln!(links, "<a href=\"{root}{of}\" data-view=\"{of}\"{current}>{title}</a>");
    }
    format!(
        r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · gym telemetry</title>
{head}</head>
<body data-view="{name}">
<a class="skip" href="#panels">Skip to the numbers</a>
<header>
<p class="name">gym telemetry</p>
<nav aria-label="Views">
{links}</nav>
<div class="tools">
<label>Last <select id="since"><option value="1m">1 min</option><option value="5m" selected>5 min</option>
<option value="15m">15 min</option><option value="1h">1 h</option></select></label>
<button id="pause" type="button" aria-pressed="false">Pause</button>
</div>
</header>
<main>
<div class="top"><h1>{title}</h1><p id="status">connecting …</p></div>
<form id="question" hidden></form>
<div id="panels" tabindex="-1"></div>
<noscript><p>The panels need JavaScript; the same numbers are at <a href="/api/v1/views/{name}">/api/v1</a>.</p></noscript>
</main>
{tail}</body>
</html>
"##
    )
}
