// The form of the metric view: what there is to ask, and how it becomes the page's address.
"use strict";

/** Takes up a change of the question as if its address had been opened. */
function ask() {
  history.pushState(null, "", `?${state.query}`);
  showQuestion();
  refresh();
}

/** Finds out what there is to ask about. */
async function learn() {
  const get = async (what) => (await fetch(`/api/v1/${what}`)).json();
  [state.metrics, state.processes] = await Promise.all(["metrics", "processes"].map(get));
  showQuestion();
}

/** What can be offered to choose from: short, and nothing in it that hides. The rest has links. */
const PLAIN = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,120}$/u;

const NUMBERS = {
  gauge: ["value"],
  up_down_counter: ["value"],
  counter: ["rate", "increase", "value"],
  histogram: ["buckets", "p50", "p90", "p99", "mean", "rate", "count", "sum", "value"],
  summary: ["rate", "mean", "count", "sum", "value"],
};

function choice(label, options, chosen, change, unset = "all of them") {
  const select = make("select", "", ...options.map((option) => new Option(option || unset, option)));
  select.name = label;
  select.value = chosen;
  select.addEventListener("change", () => change(select.value));
  return make("label", "", label, select);
}

function setParameter(key, value) {
  if (value) state.query.set(key, value);
  else state.query.delete(key);
  ask();
}

/** What processes have under each key that tells some of them apart; `process` is their id. */
function tellingApart() {
  const values = new Map([["process", new Set(state.processes.map(({ id }) => String(id)))]]);
  state.processes.forEach(({ resource }) => Object.entries(resource).forEach(([key, value]) => {
    if (!values.has(key)) values.set(key, new Set());
    values.get(key).add(String(value));
  }));
  const differs = ([key, { size }]) => key === "process" || size > 1;
  return new Map([...values].filter(differs));
}

/** The attributes that a question can group and filter by. */
function keysOf(metric) {
  const keys = new Set([...(metric ? metric.attributes : []), ...tellingApart().keys()]);
  return [...keys].filter((key) => PLAIN.test(key));
}

/** What is known to stand under a key, as proposals. */
function proposals(key) {
  const names = new Map(state.processes.map(({ id, name }) => [String(id), name]));
  const label = (value) => (key === "process" ? names.get(value) : "");
  const values = [...(tellingApart().get(key) || [])].filter((value) => PLAIN.test(value));
  return values.map((value) => new Option(label(value), value));
}

function filters(keys) {
  const set = make("fieldset", "", make("legend", "", "Only where"));
  state.query.getAll("where").forEach((where) => {
    const remove = make("button", "said", `${where} ×`);
    remove.type = "button";
    remove.addEventListener("click", () => { state.query.delete("where", where); ask(); });
    set.append(remove);
  });
  const key = make("select", "", ...keys.map((key) => new Option(key, key)));
  const [value, known] = [make("input"), make("datalist")];
  key.name = "attribute";
  key.setAttribute("aria-label", "attribute");
  value.name = "value";
  value.setAttribute("aria-label", "value");
  value.placeholder = "value";
  known.id = "known";
  value.setAttribute("list", known.id);
  const propose = () => known.replaceChildren(...proposals(key.value));
  propose();
  key.addEventListener("change", propose);
  value.addEventListener("change", () => {
    if (value.value) { state.query.append("where", `${key.value}:${value.value}`); ask(); }
  });
  set.append(key, value, known);
  return set;
}

function groups(keys) {
  const set = make("fieldset", "", make("legend", "", "A line for each"));
  keys.forEach((key) => {
    const box = make("input");
    box.type = "checkbox";
    box.name = `by ${key}`;
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

/** The form of the metric view, made anew from the address; who is at a control stays there. */
function showQuestion() {
  if (saved || state.view !== "metric") return;
  const form = byId("question");
  const held = form.contains(document.activeElement) ? document.activeElement.name : "";
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
  const names = new Set(state.metrics.map((metric) => metric.name).filter((name) => PLAIN.test(name)));
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
  form.replaceChildren(...parts);
  if (held) form.elements.namedItem(held)?.focus();
}
