// Charts, drawn by uPlot. Each is made once for its series, and then only given new data.
"use strict";

const COLOURS = 8;
const HEIGHT = 180;
/** A limit this many times as high as a stack is not shown in its chart. */
const NEAR = 4;
/** What a grid of bytes may be divided by. */
const POWERS = Array.from({ length: 50 }, (_, power) => 2 ** power);

function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The colour of a series; beyond the last one they begin anew, dashed. */
function colour(index) {
  return style(`--c${index % COLOURS}`);
}

function isDashed(index) {
  return index >= COLOURS;
}

function axes(unit, more = {}) {
  const common = { stroke: style("--quiet"), grid: { stroke: style("--line"), width: 1 }, ticks: { show: false } };
  const font = "12px system-ui, sans-serif";
  return [
    {
      ...common,
      font,
      grid: { show: false },
      space: 70,
      size: 24,
      gap: 7,
      values: (_, seconds) => seconds.map((s) => clock(s * 1e3)),
    },
    {
      ...common,
      font,
      size: 68,
      space: 34,
      ...(unit.startsWith("By") ? { incrs: POWERS } : {}),
      values: (_, values) => values.map((value) => spell(value, unit)),
      ...more,
    },
  ];
}

/** Mounts uPlot and keeps it as wide as its place. `point` is told the index beneath the pointer, or null. */
function mount(host, options, data, point) {
  const when = make("span", "when");
  const pointed = (plot) => {
    const { idx } = plot.cursor;
    setText(when, idx === null ? "" : clock(plot.data[0][idx] * 1e3));
    point(idx, plot);
  };
  const plot = new uPlot({
    width: Math.max(host.clientWidth, 200),
    height: HEIGHT,
    // The last time stands below the end of the axis, and half of it beyond.
    padding: [null, 26, null, null],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: "time" }, points: { size: 7 } },
    ...options,
    hooks: { ...options.hooks, setCursor: [pointed] },
  }, data, host);
  host.append(when);
  const watch = new ResizeObserver(() => {
    if (host.clientWidth > 0) plot.setSize({ width: host.clientWidth, height: HEIGHT });
  });
  watch.observe(host);
  return {
    set: (data) => plot.setData(data),
    end: () => { watch.disconnect(); plot.destroy(); when.remove(); },
  };
}

const fromZero = { y: { range: (_, low, high) => [Math.min(low ?? 0, 0), high > 0 ? high * 1.1 : 1] } };

function seconds(times) {
  return times.map((time) => time / 1e3);
}

/** How long each step lasts. */
function stepOf(times) {
  return times.length > 1 ? times[1] - times[0] : 1;
}

/** Of values that are not all drawn as points those without a neighbour, which no line leads to. */
function lone(plot, series, all) {
  if (all) return null;
  const values = plot.data[series];
  const isKnown = (at) => values[at] !== null && values[at] !== undefined;
  return [...values.keys()].filter((at) => isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1));
}

/** Lines over time. */
function lineChart(host, panel, point) {
  const data = (panel) => [seconds(panel.times), ...panel.series.map((series) => series.values)];
  const series = panel.series.map((_, index) => ({
    stroke: colour(index),
    width: 2,
    dash: isDashed(index) ? [4, 4] : undefined,
    points: { size: 4, filter: lone },
  }));
  const options = { scales: fromZero, axes: axes(panel.unit), series: [{}, ...series] };
  const chart = mount(host, options, data(panel), point);
  return { ...chart, show: (panel) => chart.set(data(panel)) };
}

/** Sums from the first series up to each; nothing where none has a value. */
function pile(panel) {
  const piled = [];
  panel.series.forEach(({ values }) => {
    const below = piled[piled.length - 1];
    piled.push(values.map((value, at) => {
      const under = below ? below[at] : null;
      return value === null && under === null ? null : (value ?? 0) + (under ?? 0);
    }));
  });
  return piled;
}

/** An area that is as high as each value for the length of its step; the flag has uPlot fill it. */
function bars(plot, series, first, last) {
  const [times, values] = [plot.data[0], plot.data[series]];
  const fill = new Path2D();
  const bottom = plot.valToPos(0, "y", true);
  const across = (time) => Math.round(plot.valToPos(time, "x", true));
  for (let at = first; at <= last; at += 1) {
    if (values[at] === null) continue;
    const [left, top] = [across(times[at] - stepOf(times)), plot.valToPos(values[at], "y", true)];
    fill.rect(left, top, across(times[at]) - left, bottom - top);
  }
  return { fill, flags: 1 };
}

/** How high a stack reaches, and limits that it can be compared to: beside one that is far away it would be flat. */
function reach(areas, limits) {
  const highest = (values) => Math.max(0, ...values.map((value) => value ?? 0));
  const top = highest(areas.flat());
  const near = limits.map(highest).filter((limit) => limit <= NEAR * top);
  return Math.max(top, ...near) || highest(limits.map(highest)) || 1;
}

/** Areas upon each other: the highest sum is drawn first, the lower ones over it. */
function stackChart(host, panel, point) {
  const limits = (panel) => (panel.limits || []).map((limit) => limit.values);
  let high = 1;
  const data = (panel) => {
    const areas = pile(panel).reverse();
    high = reach(areas, limits(panel));
    return [seconds(panel.times), ...areas, ...limits(panel)];
  };
  const areas = panel.series.map((_, index) => ({
    paths: bars,
    fill: colour(index),
    points: { show: false },
  }));
  const lines = limits(panel).map((_, index) => ({
    stroke: colour(panel.series.length + index),
    width: 2,
    dash: [6, 4],
    points: { show: false, filter: lone },
  }));
  const scales = { y: { range: () => [0, high * 1.1] } };
  const options = { scales, axes: axes(panel.unit), series: [{}, ...areas.reverse(), ...lines] };
  const chart = mount(host, options, data(panel), point);
  return { ...chart, show: (panel) => chart.set(data(panel)) };
}

/** How many values came into each bucket in each step: the more, the stronger the colour. */
function heatChart(host, panel, point) {
  let now = panel;
  const data = (panel) => [seconds(panel.times), panel.times.map(() => null)];
  const bound = (at) => {
    if (at < 1) return "";
    const { upper } = now.rows[at - 1] || {};
    return upper === null || upper === undefined ? "∞" : spell(upper, now.unit);
  };
  const splits = () => {
    const every = Math.ceil(now.rows.length / 7);
    return now.rows.map((_, at) => at + 1).filter((at) => at % every === 0 || at === now.rows.length);
  };
  const draw = (plot) => {
    const rgb = style("--heat");
    const counts = now.rows.flatMap((row) => row.values);
    const most = Math.max(1, ...counts.map((count) => count ?? 0));
    const step = stepOf(seconds(now.times));
    now.rows.forEach((row, at) => {
      const [top, bottom] = [plot.valToPos(at + 1, "y", true), plot.valToPos(at, "y", true)];
      row.values.forEach((count, index) => {
        if (!count) return;
        const end = now.times[index] / 1e3;
        const left = Math.max(plot.valToPos(end - step, "x", true), plot.bbox.left);
        const right = plot.valToPos(end, "x", true);
        plot.ctx.fillStyle = `rgba(${rgb}, ${0.15 + 0.85 * Math.sqrt(count / most)})`;
        plot.ctx.fillRect(left, top + 1, Math.max(right - left - 0.5, 1), bottom - top - 1);
      });
    });
  };
  const options = {
    scales: { y: { range: () => [0, now.rows.length] } },
    axes: axes(panel.unit, { splits, values: (_, at) => at.map(bound) }),
    series: [{}, { points: { show: false } }],
    hooks: { draw: [draw] },
  };
  const chart = mount(host, options, data(panel), (index, plot) => {
    const at = plot.cursor.top >= 0 ? Math.floor(plot.posToVal(plot.cursor.top, "y")) : -1;
    point(index, now.rows[at] && `≤ ${bound(at + 1)}: ${spell(now.rows[at].values[index] ?? 0)}`);
  });
  return { ...chart, show: (panel) => { now = panel; chart.set(data(panel)); } };
}
