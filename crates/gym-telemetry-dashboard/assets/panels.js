// Panels: for each kind a function that makes what shows it, and shows the next one in the same place.
"use strict";

/** A number as a link to what it was made of. */
function link() {
  return make("a", "");
}

function showNumber(node, { value, unit, query }) {
  setText(node, spell(value, unit));
  setLink(node, query);
}

/** Pairs of a label and a number, in a list of definitions. */
function showPairs(list, numbers) {
  const create = () => make("div", "", make("dt", "said"), make("dd", "", link()));
  each(list, numbers, create, (node, number) => {
    setText(node.children[0], number.label);
    showNumber(node.children[1].firstChild, number);
  });
}

function numbersPanel() {
  const list = make("dl", "numbers");
  return { nodes: [list], show: (panel) => showPairs(list, panel.items) };
}

/** A table; columns of words stand left. */
function table() {
  const [head, body] = [make("tr"), make("tbody")];
  const scroll = make("div", "scroll", make("table", "", make("thead", "", head), body));
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Table");
  const show = (columns, rows) => {
    const isWords = (at) => rows.some((row) => row.cells[at].text !== undefined);
    const words = columns.map((_, at) => isWords(at));
    each(head, columns, () => make("th", "said"), (node, column, at) => {
      node.scope = "col";
      node.classList.toggle("words", words[at]);
      setText(node, column.label);
    });
    each(body, rows, () => make("tr"), (line, row) => {
      line.classList.toggle("gone", Boolean(row.gone));
      const create = (_, at) => make(at === 0 ? "th" : "td", "said", link());
      each(line, row.cells, create, (node, cell, at) => {
        if (at === 0) node.scope = "row";
        node.classList.toggle("words", words[at]);
        setText(node.firstChild, cell.text ?? spell(cell.value, columns[at].unit));
        setLink(node.firstChild, cell.query);
      });
    });
  };
  return { node: scroll, show };
}

function tablePanel() {
  const { node, show } = table();
  return { nodes: [node], show: (panel) => show(panel.columns, panel.rows) };
}

/** The table behind a chart, filled while it is open. */
function behind(rowsOf) {
  const { node, show } = table();
  const details = make("details", "", make("summary", "", "Table"), node);
  let now = null;
  const fill = () => {
    if (details.open && now) show(...rowsOf(now));
  };
  details.addEventListener("toggle", fill);
  return { node: details, show: (panel) => { now = panel; fill(); } };
}

/** Times downwards, the latest first. */
function overTime(times, columns, valuesOf) {
  const rows = times.map((time, at) => ({
    cells: [{ text: clock(time) }, ...columns.map((_, column) => ({ value: valuesOf(column)[at] }))],
  }));
  return [[{ label: "time" }, ...columns], rows.reverse()];
}

/** Where a chart is drawn; its numbers are in the table behind it. */
function picture() {
  const host = make("div", "chart");
  host.setAttribute("role", "img");
  return host;
}

/** A chart with its legend and the table behind it. */
function chartPanel(draw) {
  const [host, legend, more] = [picture(), make("ul", "legend"), make("p", "more help")];
  const nothing = make("p", "nothing", "Nothing of this has been reported yet.");
  const rows = behind((panel) => {
    const all = [...panel.series, ...(panel.limits || [])];
    const columns = all.map((series) => ({ label: series.label, unit: panel.unit }));
    return overTime(panel.times, columns, (column) => all[column].values);
  });
  let [chart, shape, now, pointed] = [null, "", null, null];

  const latest = (values) => values[values.length - 1] ?? values[values.length - 2] ?? null;
  const showLegend = () => {
    const all = [...now.series, ...(now.limits || [])];
    const create = () => make("li", "", make("a", "", make("span", "swatch"), make("span", "said"), make("b")));
    each(legend, all, create, (node, series, index) => {
      const [swatch, label, value] = node.firstChild.children;
      swatch.style.borderColor = colour(index);
      swatch.classList.toggle("dashed", isDashed(index) || index >= now.series.length);
      setText(label, series.label);
      setText(value, spell(pointed === null ? latest(series.values) : series.values[pointed], now.unit));
      setLink(node.firstChild, series.query);
    });
  };
  const point = (index) => {
    pointed = index ?? null;
    if (now) showLegend();
  };
  const show = (panel) => {
    now = panel;
    const labels = [...panel.series, ...(panel.limits || [])].map((series) => series.label);
    const next = JSON.stringify([labels, matchMedia("(prefers-color-scheme: dark)").matches]);
    const empty = labels.length === 0;
    [host, legend, rows.node].forEach((node) => { node.hidden = empty; });
    nothing.hidden = !empty;
    if (next !== shape || !chart) {
      if (chart) chart.end();
      chart = empty ? null : draw(host, panel, point);
      shape = next;
    } else {
      chart.show(panel);
    }
    host.setAttribute("aria-label", panel.title);
    setText(more, panel.more ? `and ${panel.more} others, which the metric's own page can filter` : "");
    more.hidden = !panel.more;
    showLegend();
    rows.show(panel);
  };
  return { nodes: [nothing, host, legend, more, rows.node], show, end: () => chart && chart.end() };
}

function heatPanel() {
  const [host, list, said] = [picture(), make("dl", "numbers small"), make("p", "help", "\u00a0")];
  const nothing = make("p", "nothing", "Nothing of this has been reported yet.");
  const rows = behind((panel) => {
    const label = ({ upper }) => (upper === null ? "∞" : `≤ ${spell(upper, panel.unit)}`);
    const columns = panel.rows.map((row) => ({ label: label(row), unit: "1" }));
    return overTime(panel.times, columns, (column) => panel.rows[column].values);
  });
  let [chart, shape] = [null, ""];
  const point = (_, text) => setText(said, text || "\u00a0");
  const show = (panel) => {
    const empty = panel.rows.length === 0;
    [host, list, said, rows.node].forEach((node) => { node.hidden = empty; });
    nothing.hidden = !empty;
    const next = JSON.stringify([panel.rows.length, matchMedia("(prefers-color-scheme: dark)").matches]);
    if (next !== shape || !chart) {
      if (chart) chart.end();
      chart = empty ? null : heatChart(host, panel, point);
      shape = next;
    } else {
      chart.show(panel);
    }
    host.setAttribute("aria-label", panel.title);
    showPairs(list, panel.numbers);
    rows.show(panel);
  };
  return { nodes: [nothing, list, host, said, rows.node], show, end: () => chart && chart.end() };
}

/** One bar a process, made of its stages. */
function timelinePanel() {
  const [list, legend] = [make("dl", "timeline"), make("ul", "legend")];
  const nothing = make("p", "nothing", "No process has reported its start yet.");
  const rows = behind((panel) => {
    const columns = [{ label: "server" }, { label: "stage" }, { label: "length", unit: panel.unit }];
    const line = (row, span) => ({
      cells: [{ text: row.label }, { text: span.label }, { value: span.to - span.from, query: span.query }],
    });
    return [columns, panel.rows.flatMap((row) => row.spans.map((span) => line(row, span)))];
  });
  const show = (panel) => {
    nothing.hidden = panel.rows.length > 0;
    rows.node.hidden = panel.rows.length === 0;
    const { stages } = panel;
    const end = (row) => row.spans.reduce((end, span) => Math.max(end, span.to), 0);
    const whole = Math.max(...panel.rows.map(end), Number.MIN_VALUE);
    const create = () =>
      make("div", "", make("dt", "said"), make("dd", "bar", make("div", "track")), make("dd", "total"));
    each(list, panel.rows, create, (node, row) => {
      setText(node.children[0], row.label);
      setText(node.children[2], spell(end(row), panel.unit));
      each(node.children[1].firstChild, row.spans, link, (bar, span) => {
        const what = `${span.label}: ${spell(span.to - span.from, panel.unit)}`;
        bar.style.left = `${(100 * span.from) / whole}%`;
        bar.style.width = `${(100 * (span.to - span.from)) / whole}%`;
        bar.style.background = colour(stages.indexOf(span.label));
        bar.title = what;
        bar.setAttribute("aria-label", what);
        setLink(bar, span.query);
      });
    });
    each(legend, stages, () => make("li", "", make("a", "", make("span", "swatch"), make("span", "said"))),
      (node, stage, index) => {
        node.firstChild.children[0].style.borderColor = colour(index);
        setText(node.firstChild.children[1], stage);
      });
    rows.show(panel);
  };
  return { nodes: [nothing, list, legend, rows.node], show };
}

function findingsPanel() {
  const [list, nothing] = [make("ul", "findings"), make("p", "help", "Nothing stands out.")];
  const show = (panel) => {
    nothing.hidden = panel.items.length > 0;
    const create = () => make("li", "", make("a", "", make("strong"), make("span", "said")));
    each(list, panel.items, create, (node, finding) => {
      const [severity, sentence] = node.firstChild.children;
      severity.className = finding.severity;
      setText(severity, finding.severity);
      setText(sentence, finding.sentence);
      setLink(node.firstChild, finding.query);
    });
  };
  return { nodes: [nothing, list], show };
}

const KINDS = {
  numbers: numbersPanel,
  lines: () => chartPanel(lineChart),
  stack: () => chartPanel(stackChart),
  heat: heatPanel,
  timeline: timelinePanel,
  graph: graphPanel,
  table: tablePanel,
  findings: findingsPanel,
};

/** Shows a view's panels in place of those that are there; the same panel stays where it is. */
const shown = [];
function showPanels(host, panels) {
  panels.forEach((panel, index) => {
    const key = `${panel.kind} ${panel.title}`;
    let place = shown[index];
    if (!place || place.key !== key) {
      const body = KINDS[panel.kind]();
      const [title, help] = [make("h2", "said"), make("p", "help said")];
      const node = make("section", "panel", title, help, ...body.nodes);
      if (place) {
        if (place.body.end) place.body.end();
        place.node.replaceWith(node);
      } else {
        host.append(node);
      }
      place = shown[index] = { key, body, node, title, help };
    }
    place.node.classList.toggle("wide", panel.wide);
    setText(place.title, panel.title);
    setText(place.help, panel.help);
    place.body.show(panel);
  });
  shown.splice(panels.length).forEach((place) => {
    if (place.body.end) place.body.end();
    place.node.remove();
  });
}
