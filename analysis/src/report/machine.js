"use strict";
// The machine as a picture: what moved between its parts in some cycles. The width of a line tells how much.
const machinePicture = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const make = (tag, attributes, text) => {
    const element = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const HEIGHT = 34;
  // Draws a part of the machine: a box with its name and lines of text below it.
  const part = (svg, { x, y, w, h, name, lines }) => {
    svg.append(make("rect", { x, y, width: w, height: h, rx: 6, class: "part" }));
    const top = y + h / 2 - 8 * lines.length + 5;
    svg.append(make("text", { x: x + w / 2, y: top, class: "partname" }, name));
    lines.forEach((line, k) => svg.append(make("text", { x: x + w / 2, y: top + 17 * (k + 1), class: "fact" }, line)));
  };
  // Draws what flows between two places; `share` is 1 if it uses every cycle.
  const flow = (svg, { from, to, y, share, colour, label, tip }) => {
    const width = share > 0 ? 1.5 + 10.5 * Math.min(1, share) : 1;
    const way = Math.sign(to - from), head = share > 0 ? 5 + width / 2 : 4;
    const group = make("g", { class: share > 0 ? "flow" : "flow none" });
    group.append(make("title", {}, tip));
    group.append(make("line", { x1: from, y1: y, x2: to - way * head, y2: y, stroke: colour, "stroke-width": width }));
    group.append(make("path", { d: `M${to} ${y} l${-way * head} ${-head} v${2 * head} z`, fill: colour }));
    group.append(make("text", { x: (from + to) / 2, y: y - width / 2 - 5, class: "fact" }, label));
    svg.append(group);
  };

  // Draws the picture anew. `facts` are counts of the cycles in sight: cycles, kernel, arithmetic, exchange, flops, banks (accesses of
  // each), moving, waiting, get and put (bytes); `colours` are those of causes.
  return (box, facts, colours, number) => {
    const { cycles } = facts;
    const rate = (n, digits = 2) => (n / Math.max(1, cycles)).toFixed(digits);
    const share = (n) => n / Math.max(1, cycles);
    const percent = (n) => (100 * share(n)).toFixed(1) + " %";
    const rows = Math.max(2, facts.banks.length), height = Math.max(190, rows * (HEIGHT + 22) + 70);
    const middle = 60 + (height - 60) / 2;
    const svg = make("svg", { viewBox: `0 0 1190 ${height + 8}`, role: "img", class: "machine" });
    svg.append(make("title", {}, `The machine in cycles ${number(facts.begin)} to ${number(facts.end)}`));
    const tall = { y: 64, h: height - 64 };
    part(svg, { x: 0, y: 4, w: 1190, h: 40, name: "", lines: [] });
    svg.append(make("text", { x: 16, y: 29, class: "partname start" }, "Host"));
    svg.append(make("text", { x: 70, y: 29, class: "fact start" }, `kernels ran in ${percent(facts.kernel)} of ${number(cycles)} cycles`));
    part(svg, { ...tall, x: 0, w: 168, name: "System memory", lines: [`${number(facts.get)} bytes read`, `${number(facts.put)} bytes written`] });
    part(svg, { ...tall, x: 300, w: 136, name: "DMA channel", lines: [`moved in ${percent(facts.moving)}`, `waited in ${percent(facts.waiting)}`] });
    part(svg, { ...tall, x: 850, w: 116, name: "Registers", lines: ["exchange slot", `busy in ${percent(facts.exchange)}`] });
    part(svg, { ...tall, x: 1048, w: 142, name: "Arithmetic slot", lines: [`busy in ${percent(facts.arithmetic)}`, `${rate(facts.flops)} flops/cycle`] });
    // A beat has two words of 8 bytes.
    const bytes = (n) => ({ share: share(n) / 16, colour: colours.channel, label: n ? `${rate(n)} bytes/cycle` : "nothing" });
    flow(svg, { from: 168, to: 298, y: middle - 24, ...bytes(facts.get), tip: `${number(facts.get)} bytes from system memory` });
    flow(svg, { from: 300, to: 170, y: middle + 40, ...bytes(facts.put), tip: `${number(facts.put)} bytes to system memory` });
    const step = (height - 64) / facts.banks.length;
    facts.banks.forEach((n, k) => {
      const y = 64 + step * k;
      part(svg, { x: 560, y: y + 3, w: 140, h: step - 6, name: `Bank ${k}`, lines: [`kernels: ${percent(n)}`] });
      flow(svg, { from: 850, to: 702, y: y + step / 2 + 6, share: share(n), colour: colours.banks[k % colours.banks.length], label: n ? `${rate(n)} accesses/cycle` : "nothing", tip: `${number(n)} cycles with an access of a kernel to bank ${k}` });
    });
    flow(svg, { from: 436, to: 558, y: middle + 8, share: share(facts.moving), colour: colours.channel, label: facts.moving ? `${rate(facts.moving)} beats/cycle` : "nothing", tip: `${number(facts.moving)} cycles in which a beat moved` });
    flow(svg, { from: 966, to: 1046, y: middle + 8, share: share(facts.arithmetic), colour: colours.slots, label: `${rate(facts.arithmetic)}/cycle`, tip: `${number(facts.arithmetic)} arithmetic operations` });
    box.replaceChildren(svg);
  };
})();
