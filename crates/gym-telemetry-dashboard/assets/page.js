// The page: which view is shown, where its data comes from, and the form of the metric view.
"use strict";

const byId = (id) => document.getElementById(id);
/** A finished run has its data in the page itself; else it comes from the server. */
const saved = byId("data") ? JSON.parse(byId("data").textContent) : null;
const state = { view: document.body.dataset.view, query: new URLSearchParams(), source: null, last: null, metrics: [] };

function metricLink(query) {
  if (saved) return `#metric?${query}`;
  const since = state.query.get("since");
  return `/metric?${query}${since ? `&since=${since}` : ""}`;
}

function readAddress() {
  if (saved) {
    const [view, query] = location.hash.slice(1).split(/\?(.*)/s);
    state.view = saved.views[view] || view === "metric" ? view : "fleet";
    state.query = new URLSearchParams(query || "");
  } else {
    state.query = new URLSearchParams(location.search);
  }
}

function setStatus(text, lost = false) {
  const status = byId("status");
  // The time that passes is not read out; a loss is.
  status.setAttribute("aria-live", lost ? "assertive" : "off");
  setText(status, text);
  status.classList.toggle("lost", lost);
}

function condition(view) {
  if (saved) return "a finished run";
  if (!view.live) return "a recording";
  return byId("pause").ariaPressed === "true" ? "paused" : "live";
}

function show(view) {
  state.last = view;
  const processes = `${view.reporting} ${view.reporting === 1 ? "process reports" : "processes report"}`;
  const gone = view.gone ? `, ${view.gone} gone` : "";
  const refused = view.refused ? ` · ${spell(view.refused)} points refused` : "";
  setStatus(`${condition(view)} · ${processes}${gone}${refused} · ${clock(view.time)}`);
  setText(document.querySelector("h1"), view.title);
  document.title = `${view.title} · gym telemetry`;
  showPanels(byId("panels"), view.panels);
}

/** Shows what comes from now on. */
function follow() {
  byId("pause").ariaPressed = "false";
  if (state.source) state.source.close();
  const source = new EventSource(`/api/v1/events/${state.view}?${state.query}`);
  source.addEventListener("message", (event) => show(JSON.parse(event.data)));
  source.addEventListener("error", () => setStatus("the connection is lost; trying again", true));
  state.source = source;
}

/** The answer within a finished run; where there is none for the very question, that for the metric. */
function answer() {
  if (state.view !== "metric") return saved.views[state.view];
  const metric = new URLSearchParams({ metric: state.query.get("metric") || "" }).toString();
  const answers = saved.answers;
  return answers[state.query.toString()] || answers[metric] || answers[""];
}

function refresh() {
  byId("since").value = state.query.get("since") || "5m";
  document.querySelectorAll("nav a").forEach((link) => {
    const current = link.dataset.view === state.view;
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    const since = state.query.get("since");
    if (!saved) link.search = since ? `?since=${since}` : "";
  });
  byId("question").hidden = state.view !== "metric" || Boolean(saved);
  if (saved) show(answer());
  else follow();
}

/** Takes up a change of the question as if its address had been opened. */
function ask() {
  history.pushState(null, "", `?${state.query}`);
  showQuestion();
  refresh();
}

const NUMBERS = {
  gauge: ["value"],
  up_down_counter: ["value"],
  counter: ["rate", "increase", "value"],
  histogram: ["buckets", "p50", "p90", "p99", "mean", "rate", "count", "sum", "value"],
  summary: ["rate", "mean", "count", "sum", "value"],
};

function choice(label, options, chosen, change, unset = "all of them") {
  const select = make("select", "", ...options.map((option) => new Option(option || unset, option)));
  select.value = chosen;
  select.addEventListener("change", () => change(select.value));
  return make("label", "", label, select);
}

function setParameter(key, value) {
  if (value) state.query.set(key, value);
  else state.query.delete(key);
  ask();
}

/** The attributes that a question can group and filter by. */
function keysOf(metric) {
  return [...new Set([...(metric ? metric.attributes : []), "process", "nemo.gym.server.name"])];
}

function filters(keys) {
  const set = make("fieldset", "", make("legend", "", "Only where"));
  state.query.getAll("where").forEach((where) => {
    const remove = make("button", "said", `${where} ×`);
    remove.type = "button";
    remove.addEventListener("click", () => { state.query.delete("where", where); ask(); });
    set.append(remove);
  });
  const [key, value] = [make("select", "", ...keys.map((key) => new Option(key, key))), make("input")];
  key.setAttribute("aria-label", "attribute");
  value.setAttribute("aria-label", "value");
  value.placeholder = "value";
  value.addEventListener("change", () => {
    if (value.value) { state.query.append("where", `${key.value}:${value.value}`); ask(); }
  });
  set.append(key, value);
  return set;
}

function groups(keys) {
  const set = make("fieldset", "", make("legend", "", "A line for each"));
  keys.forEach((key) => {
    const box = make("input");
    box.type = "checkbox";
    box.checked = state.query.getAll("by").includes(key);
    box.addEventListener("change", () => {
      if (box.checked) state.query.append("by", key);
      else state.query.delete("by", key);
      ask();
    });
    set.append(make("label", "said", box, key));
  });
  return set;
}

/** The form of the metric view, made anew from the address. */
function showQuestion() {
  if (saved || state.view !== "metric") return;
  const name = state.query.get("metric") || "";
  const isMeant = (metric) =>
    metric.name === name && ["kind", "unit"].every((key) => (state.query.get(key) ?? metric[key]) === metric[key]);
  const metric = state.metrics.find(isMeant);
  const kind = metric ? (metric.kind.includes("histogram") ? "histogram" : metric.kind) : "gauge";
  const pick = (name) => {
    const since = state.query.get("since");
    state.query = new URLSearchParams(name ? { metric: name } : {});
    const picked = state.metrics.find((metric) => metric.name === name);
    if (picked && picked.kind === "counter") state.query.set("select", "rate");
    if (picked && picked.kind.includes("histogram")) state.query.set("select", "buckets");
    if (since) state.query.set("since", since);
    ask();
  };
  const names = new Set(state.metrics.map((metric) => metric.name));
  const parts = [choice("Metric", ["", ...names], name, pick)];
  if (name) {
    const select = state.query.get("select") || "value";
    const numbers = [...new Set([...(NUMBERS[kind] || ["value"]), select])];
    parts.push(
      choice("Show", numbers, select, (value) => setParameter("select", value)),
      choice("Several series", ["", "sum", "each", "min", "median", "max"], state.query.get("over") || "",
        (value) => setParameter("over", value), "as usual for its kind"),
      groups(keysOf(metric)),
      filters(keysOf(metric)),
    );
  }
  byId("question").replaceChildren(...parts);
}

async function begin() {
  readAddress();
  const [since, pause] = [byId("since"), byId("pause")];
  if (saved) {
    document.querySelector(".tools").hidden = true;
    addEventListener("hashchange", () => { readAddress(); refresh(); scrollTo(0, 0); });
    return refresh();
  }
  since.addEventListener("change", () => setParameter("since", since.value));
  pause.addEventListener("click", () => {
    if (pause.ariaPressed === "true") return follow();
    pause.ariaPressed = "true";
    state.source.close();
    if (state.last) show(state.last);
  });
  byId("question").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("popstate", () => { readAddress(); showQuestion(); refresh(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.last && show(state.last));
  refresh();
  if (state.view === "metric") {
    const metrics = await fetch("/api/v1/metrics");
    state.metrics = await metrics.json();
    showQuestion();
  }
}

begin();
