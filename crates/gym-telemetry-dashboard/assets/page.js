// The page: which view is shown, and where its data comes from.
"use strict";

const byId = (id) => document.getElementById(id);
/** A finished run has its data in the page itself; else it comes from the server. */
const saved = byId("data") ? JSON.parse(byId("data").textContent) : null;
const state = {
  view: document.body.dataset.view,
  query: new URLSearchParams(),
  source: null,
  last: null,
  metrics: [],
  processes: [],
};

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
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) explain();
    else setStatus("the connection is lost; trying again", true);
  });
  state.source = source;
}

/** Says why this view cannot be followed. */
async function explain() {
  const reply = await fetch(`/api/v1/views/${state.view}?${state.query}`);
  if (reply.ok) show(await reply.json());
  const { error } = reply.ok ? { error: "too many follow this page: it stays as it is now" } : await reply.json();
  setStatus(error, true);
}

/** The answer within a finished run; where there is none for the very question, that for the metric. */
function answer() {
  if (state.view !== "metric") return saved.views[state.view];
  const metric = new URLSearchParams({ metric: state.query.get("metric") || "" }).toString();
  const answers = saved.answers;
  return answers[state.query.toString()] || answers[metric] || answers[""];
}

/** Chooses a time to look back, which need not be among those that are offered. */
function chooseSince(time) {
  const since = byId("since");
  if (![...since.options].some(({ value }) => value === time)) since.append(new Option(time, time));
  since.value = time;
}

function refresh() {
  chooseSince(state.query.get("since") || "5m");
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

function begin() {
  readAddress();
  const [since, pause] = [byId("since"), byId("pause")];
  document.querySelector(".skip").addEventListener("click", (event) => {
    // The address of a file says which view is shown.
    event.preventDefault();
    byId("panels").focus();
  });
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
  if (state.view === "metric") learn();
}

begin();
