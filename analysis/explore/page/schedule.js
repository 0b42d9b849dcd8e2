// Loops with their schedules, and the bundles of the program.
function bar(value, of) {
  return h("div", { class: "track" }, h("div", { class: value === of ? "fill" : "fill short", style: { width: `${Math.min(100, (100 * value) / of)}%` } }));
}
const fact = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));

/** A slot of a table, in the colour of its line. */
function half(cell) {
  if (!cell) return h("td", { class: "half" });
  const tag = cell.iteration ? h("span", { class: "tag", title: `stage ${cell.stage}` }, cell.iteration) : null;
  const places = [cell.line, ...(cell.also || [])].filter(Boolean);
  const element = h("td", { class: cell.line ? "half" : "half made", title: places.length ? `line ${places.join(" and ")}` : "written by the scheduler" }, tag, cell.text);
  return also(linked(element, cell.line), cell.also);
}

function kernelTable(kernel) {
  const rows = kernel.rows.map((row, k) =>
    h("tr", {}, h("td", { class: "num" }, k), h("td", { class: "num" }, kernel.address + k), row.map(half)),
  );
  const head = ["cycle", "bundle", "arithmetic", "exchange"].map((name, k) => h("th", { scope: "col", class: k < 2 ? "num" : null }, name));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Bundles that the loop repeats" }, h("table", { class: "grid" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
}

function loopCard(region, block, tried) {
  const bound = Math.max(block.resource_bound, block.recurrence_bound || 0);
  const limit = block.recurrence_bound > block.resource_bound ? "the recurrence" : "the slots";
  const through = block.through.length ? [" through ", block.through.flatMap((line, k) => [k ? ", " : "", lineLink(line)])] : "";
  return h(
    "article",
    { class: "card" },
    h("h3", {}, `Interval ${number(block.ii)}`, h("small", {}, "loop of ", block.line ? lineLink(block.line) : region.name)),
    h(
      "div",
      { class: "gauge" },
      h("span", { class: "quiet" }, `bound ${number(bound)}`),
      bar(bound, block.ii),
      h("b", {}, percent(bound, block.ii)),
    ),
    h("p", { class: "quiet" }, `The bound is that of ${limit}: slots ${number(block.resource_bound)}, recurrence ${number(block.recurrence_bound)}`, through, "."),
    tried?.hints.length
      ? h("ul", { class: "advice-box" }, tried.hints.map((hint) => h("li", {}, `${plural(hint.promises.length, "promise")} would make ${hint.ii === null ? `the bound ${hint.bound}` : `it ${hint.ii}`}: `, hint.promises.map((promise, k) => [k ? " and " : "", h("code", {}, promise)]))))
      : null,
    tried && !tried.complete ? h("p", { class: "quiet" }, "Not all promises were tried: that would take more work than a region is given.") : null,
    h(
      "dl",
      { class: "facts" },
      fact("operations", `${block.arithmetic} + ${block.exchange}`),
      fact("stages", block.stages),
      fact("unrolled", block.unrolled),
      fact("least turns", block.minimum_trips),
      fact("registers", block.registers),
      fact("bundles", block.bundles),
      fact("cycles", block.cycles),
    ),
    block.kernel ? kernelTable(block.kernel) : h("p", { class: "quiet" }, "All turns stand as straight code."),
  );
}

function scheduleView() {
  const cards = [];
  known.regions.forEach((region, k) => {
    let at = 0;
    for (const block of region.blocks) {
      if (block.ii !== null) cards.push(loopCard(region, block, known.promises[k]?.[at++]));
    }
    const straight = region.blocks.filter((block) => block.ii === null && block.arithmetic + block.exchange > 0);
    const list = straight.map((block) => h("li", {}, block.line ? lineLink(block.line) : "made by the scheduler", `: ${block.arithmetic} arithmetic and ${block.exchange} exchange operations in ${plural(block.bundles, "bundle")}`));
    cards.push(
      h(
        "article",
        { class: "card" },
        h("h3", {}, region.name ? `Region ${region.name}` : "Region", h("small", {}, `from bundle ${region.start} on`)),
        h("dl", { class: "facts" }, fact("bundles", region.bundles), fact("registers", region.registers), fact("cycles", region.cycles)),
        list.length ? h("ul", {}, list) : null,
      ),
    );
  });
  if (cards.length) return cards;
  const text = known.assembled
    ? ["There is no linear code in this text, so nothing was scheduled: its bundles are as they were written. Code between ", h("code", {}, ".linear"), " and ", h("code", {}, ".endlinear"), " is."]
    : ["The text does not assemble yet. What is wrong stands under it."];
  return h("p", { class: "empty" }, text);
}

/** Cycles of a bundle as a small bar. */
function costCell(causes, most) {
  if (!causes) return h("td", { class: "num" });
  const all = causes.reduce((a, b) => a + b, 0);
  const worst = causes.indexOf(Math.max(...causes));
  const cause = DATA.causes[worst];
  return h(
    "td",
    { class: "num", title: causes.map((n, k) => (n ? `${number(n)} ${DATA.causes[k].text}` : "")).filter(Boolean).join("; ") },
    number(all),
    " ",
    h("span", { class: "spark cause", "aria-hidden": "true", style: { width: `${Math.max(1, (44 * all) / most)}px`, "--light": cause.light, "--dark": cause.dark } }),
  );
}

function bundlesView() {
  const kernels = known.program?.kernels || [];
  if (!kernels.some((kernel) => kernel.bundles.length)) return h("p", { class: "empty" }, known.assembled ? "The text has no bundle yet." : "The text does not assemble yet. What is wrong stands under it.");
  const costs = known.run?.bundles || {};
  const most = Math.max(1, ...Object.values(costs).map((causes) => causes.reduce((a, b) => a + b, 0)));
  const rows = [];
  for (const kernel of kernels)
    for (const bundle of kernel.bundles) {
      const names = bundle.address === kernel.start && !bundle.labels.includes(kernel.name) ? [kernel.name, ...bundle.labels] : bundle.labels;
      if (names.length) rows.push(h("tr", { class: "labelled" }, h("td"), h("td", { colspan: 3, class: "label" }, names.map((name) => `${name}:`).join(" "))));
      const cells = [bundle.arithmetic, bundle.exchange].map((each) => half(each && { text: each[0], line: typeof each[1] === "number" ? each[1] : 0, also: each[2] }));
      const line = [bundle.arithmetic, bundle.exchange].map((each) => each?.[1]).find((each) => typeof each === "number");
      const row = h("tr", { tabindex: -1, class: "bundle", "data-address": bundle.address, title: bundle.word }, h("td", { class: "num" }, bundle.address), cells, costCell(costs[bundle.address], most));
      if (line) row.dataset.go = line;
      rows.push(row);
    }
  const cut = known.program.all > known.program.shown ? h("p", { class: "empty" }, `${plural(known.program.all - known.program.shown, "bundle")} more are not shown.`) : null;
  const head = [["", "num"], ["arithmetic"], ["exchange"], ["cycles", "num"]].map(([name, kind]) => h("th", { scope: "col", class: kind || null }, name || h("span", { class: "unseen" }, "address")));
  const table = h("table", { class: "grid" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows));
  roving(table, "tr.bundle", () => 1);
  table.addEventListener("keydown", (event) => {
    const go = event.key === "Enter" && event.target.closest("[data-go]");
    if (go) editor.go(Number(go.dataset.go));
  });
  table.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-line]");
    if (cell && !String(getSelection())) editor.go(Number(cell.dataset.line));
  });
  return [table, cut];
}

/** Shows what became of the line of the caret. */
on("caret", (line) => {
  const panel = document.querySelector(".panel[data-view=bundles]");
  const row = panel?.querySelector(`td:is(${ofLine(line)})`)?.parentElement;
  for (const old of panel?.querySelectorAll("tr.here") || []) old.classList.remove("here");
  if (!row) return;
  for (const cell of panel.querySelectorAll(`td:is(${ofLine(line)})`)) cell.parentElement.classList.add("here");
  const top = row.offsetTop;
  if (panel.clientHeight < panel.scrollHeight && (top < panel.scrollTop + 40 || top > panel.scrollTop + panel.clientHeight - 40)) panel.scrollTop = Math.max(0, top - panel.clientHeight / 3);
});
