// Numbers and times as people read them, and the few ways in which text comes into the page.
"use strict";

const NOTHING = "–";
const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e4, "k"]];
const BYTES = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [0, "B"]];
const MILLIS = [[7.2e6, 3.6e6, "h"], [120e3, 60e3, "min"], [1e3, 1e3, "s"], [1, 1, "ms"], [0, 1e-3, "µs"]];

/** Three digits, but no digits lost before the point. */
function digits(value) {
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return String(Math.round(value));
  if (size >= 1) return String(Number(value.toPrecision(3)));
  return String(Number(value.toPrecision(2)));
}

/** A number with its unit, which is in UCUM notation. */
function spell(value, unit = "") {
  if (value === null || value === undefined) return NOTHING;
  const size = Math.abs(value);
  if (unit === "s/s") return digits(value);
  const rate = unit.endsWith("/s") ? "/s" : "";
  const base = rate ? unit.slice(0, -2) : unit;
  if (base === "By") {
    const [scale, name] = BYTES.find(([scale]) => size >= scale);
    return `${digits(value / (scale || 1))} ${name}${rate}`;
  }
  if (!rate && (base === "ms" || base === "s")) {
    if (value === 0) return "0 ms";
    const millis = base === "s" ? value * 1e3 : value;
    const [, scale, name] = MILLIS.find(([least]) => Math.abs(millis) >= least);
    return `${digits(millis / scale)} ${name}`;
  }
  if (base === "%") return `${digits(value)} %`;
  const [scale, name] = PREFIXES.find(([least]) => size >= least) || [1, ""];
  const factor = name === "k" ? 1e3 : scale;
  const kept = base === "" || base === "1" || base.startsWith("{") ? "" : ` ${base}`;
  return `${digits(value / factor)}${name ? " " + name : ""}${kept}${rate ? " " + rate : ""}`;
}

/** The time of day. */
function clock(millis) {
  return new Date(millis).toLocaleTimeString([], { hour12: false });
}

/** An element with a class; strings become text. */
function make(tag, name = "", ...children) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.append(...children);
  return node;
}

/** Changes a text only if it differs, so that nothing moves needlessly. */
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Points a link at what a number was made of; without that it is no link. */
function setLink(link, query) {
  if (!query) link.removeAttribute("href");
  else if (link.getAttribute("href") !== metricLink(query)) link.setAttribute("href", metricLink(query));
}

/** Makes as many children as there are items, keeps those that are there, and shows each item in its child. */
function each(parent, items, create, show) {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  items.forEach((item, index) => {
    let node = parent.children[index];
    if (!node) parent.append(node = create(item, index));
    show(node, item, index);
  });
}
