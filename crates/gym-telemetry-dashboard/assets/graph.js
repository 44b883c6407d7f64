// Who waits for whom: boxes, and arrows between them.
"use strict";

/** Servers from left to right, callers first, with what is known of the calls before each. */
function graphPanel() {
  const graph = make("div", "graph");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("aria-hidden", "true");
  const nothing = make("p", "nothing", "No server has reported yet.");
  const rows = behind((panel) => {
    const name = (at) => panel.nodes[at].name;
    const line = (what, numbers) => numbers.map(({ label, value, unit, query }) => ({
      cells: [{ text: what }, { text: label }, { text: spell(value, unit), query }],
    }));
    const nodes = panel.nodes.flatMap((node) => line(node.name, node.numbers));
    const edges = panel.edges.flatMap((edge) => line(`${name(edge.from)} → ${name(edge.to)}`, edge.numbers));
    return [[{ label: "who" }, { label: "what" }, { label: "" }], [...nodes, ...edges]];
  });

  const arrows = (panel) => {
    const frame = graph.getBoundingClientRect();
    const box = (node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return { left: left - frame.left, right: right - frame.left, middle: (top + bottom) / 2 - frame.top };
    };
    const lines = panel.edges.flatMap((edge) => {
      const [from, to] = [edge.from, edge.to].map((at) => box(graph.querySelector(`[data-node="${at}"]`)));
      const call = box(graph.querySelector(`[data-call="${edge.from}-${edge.to}"]`));
      const bend = (from.right + call.left) / 2;
      const [start, end] = [`M${from.right},${from.middle}`, `${to.left - 1},${to.middle}`];
      return [
        `${start} C${bend},${from.middle} ${bend},${call.middle} ${call.left},${call.middle}`,
        `M${call.right},${call.middle} C${call.right + 8},${call.middle} ${to.left - 14},${to.middle} ${end}`
          + ` m-8,-5 l8,5 l-8,5`,
      ];
    });
    const create = () => document.createElementNS(svg.namespaceURI, "path");
    each(svg, lines, create, (path, line) => path.setAttribute("d", line));
  };
  let now = null;
  const watch = new ResizeObserver(() => now && arrows(now));
  watch.observe(graph);

  const showCall = (node, edge, panel) => {
    node.dataset.call = `${edge.from}-${edge.to}`;
    setText(node.children[0], `from ${panel.nodes[edge.from].name}`);
    showPairs(node.children[1], edge.numbers);
  };
  const show = (panel) => {
    now = panel;
    nothing.hidden = panel.nodes.length > 0;
    [graph, rows.node].forEach((node) => { node.hidden = panel.nodes.length === 0; });
    const placed = panel.nodes.map((node, at) => ({ ...node, at }));
    const depth = Math.max(-1, ...placed.map((node) => node.layer)) + 1;
    const layers = Array.from({ length: depth }, (_, layer) => placed.filter((node) => node.layer === layer));
    svg.remove();
    graph.classList.toggle("many", panel.edges.length > 12);
    each(graph, layers.filter((layer) => layer.length), () => make("div", "layer"), (column, layer) => {
      const create = () => make("div", "slot", make("div", "calls"),
        make("div", "node", make("h3", "said"), make("dl", "pairs")));
      each(column, layer, create, (slot, node) => {
        const calls = panel.edges.filter((edge) => edge.to === node.at);
        each(slot.children[0], calls, () => make("div", "call", make("span", "from said"), make("dl", "pairs")),
          (call, edge) => showCall(call, edge, panel));
        slot.children[1].dataset.node = node.at;
        setText(slot.children[1].children[0], node.name);
        showPairs(slot.children[1].children[1], node.numbers);
      });
    });
    graph.append(svg);
    arrows(panel);
    rows.show(panel);
  };
  return { nodes: [nothing, graph, rows.node], show, end: () => watch.disconnect() };
}
