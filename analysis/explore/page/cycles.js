// What the cycles of the run were spent on, cycle by cycle, why one is as it is, and what registers held then.
let chosen = null, moment = null, asked = 0, view = null;
const causeOf = (k) => (k === null || k === undefined ? null : DATA.causes[k]);
const colours = (cause) => (cause ? { "--light": cause.light, "--dark": cause.dark } : {});
const chip = (cause) => h("span", { class: "chip cause", "aria-hidden": "true", style: colours(cause) });

/** Asks for a cycle, which registers and the story of it follow. */
async function choose(cycle) {
  chosen = cycle;
  if (SHARED) return emit("moment");
  const mine = ++asked;
  const answer = await ask("cycle", { wish: wishNow(), cycle });
  if (mine !== asked) return;
  moment = answer.ok ? answer.value : { error: answer.message };
  emit("moment");
}
function forget() {
  [chosen, moment, view] = [null, null, null];
  asked++;
}

/** The fields of the arguments of the kernel. */
function argumentsCard() {
  const told = known.arguments;
  if (!told || !(told.arguments.length || told.interface.arrays.length)) return null;
  const promises = (argument) => ["min", "max", "multiple", "default"].filter((word) => argument[word] !== undefined).map((word) => `${word} ${argument[word]}`);
  const fields = told.arguments.map((value, k) => {
    const argument = told.interface.arguments[k];
    const given = wish.arguments.find(([name]) => name === value.name)?.[1] ?? "";
    return h(
      "label",
      {},
      h("span", {}, h("code", {}, value.name), ` in ${argument.register}`),
      h("input", {
        value: given,
        "data-argument": value.name,
        disabled: Boolean(SHARED),
        placeholder: value.given ?? value.proposed ?? (argument.default === undefined ? (told.loaded ? "by the arrays" : "needed") : String(argument.default)),
        onchange: (event) => {
          wish.arguments = [...wish.arguments.filter(([name]) => name !== value.name), [value.name, event.target.value.trim()]];
          emit("wish");
        },
      }),
      h("small", {}, [argument.type, ...promises(argument)].join(", ")),
    );
  });
  const proposed = told.arguments.some((value) => value.proposed !== null && value.proposed !== undefined);
  const notes = [
    proposed ? "What nobody gave has a value that is allowed, shown in grey." : "",
    told.lacking ? `${plural(told.lacking, "array")} that no --load gives: memory as after reset.` : "",
    told.refused ? `\`cp2 run\` does not begin so: ${told.refused}.` : "",
  ].filter(Boolean);
  return h("article", { class: "card" }, h("h3", {}, "Arguments", told.kernel ? h("small", {}, "of ", h("code", {}, told.kernel)) : null), h("div", { class: "arguments" }, fields), notes.length ? h("p", { class: "quiet" }, notes.join(" ")) : null);
}

function causesCard(run) {
  const used = DATA.causes.map((cause, k) => [cause, run.causes[k]]).filter(([, n]) => n > 0);
  return h(
    "article",
    { class: "card" },
    h("h3", {}, plural(run.cycles, "cycle"), h("small", { class: run.is_right ? null : "worse" }, run.end)),
    h("div", { class: "stack", role: "img", "aria-label": used.map(([cause, n]) => `${percent(n, run.cycles)} ${cause.text}`).join(", ") }, used.map(([cause, n]) => h("span", { class: "cause", title: `${number(n)} ${cause.text}`, style: { ...colours(cause), "flex-grow": String(n) } }))),
    h("ul", { class: "legend" }, used.map(([cause, n]) => h("li", {}, chip(cause), h("b", {}, number(n)), h("span", {}, cause.text), h("span", { class: "quiet" }, percent(n, run.cycles))))),
  );
}

function mapCard(run) {
  const window = view || run.window;
  const cells = window.cycles.map((cycle) => {
    const [at, cause, arithmetic, exchange] = cycle;
    const line = [arithmetic, exchange].map((each) => each?.[1]).find((each) => typeof each === "number");
    const text = [arithmetic?.[0], exchange?.[0]].filter(Boolean).join(" | ") || causeOf(cause)?.text || "no kernel ran";
    const cell = h("button", { type: "button", role: "option", tabindex: -1, class: "cause", "aria-selected": String(at === chosen), "data-cycle": at, title: `cycle ${at}: ${text}`, "aria-label": `cycle ${at}: ${text}`, style: colours(causeOf(cause)) });
    if (line) cell.dataset.line = line;
    return cell;
  });
  const map = h("div", { class: "map", role: "listbox", "aria-label": "Cycles", "aria-orientation": "horizontal" }, cells);
  const columns = () => {
    const top = cells[0]?.offsetTop;
    const width = cells.findIndex((cell) => cell.offsetTop !== top);
    return width < 0 ? cells.length : width;
  };
  (cells.find((cell) => Number(cell.dataset.cycle) === chosen) || cells[0])?.setAttribute("tabindex", "0");
  roving(map, "[data-cycle]", columns);
  const pick = (event) => {
    const cell = event.target.closest("[data-cycle]");
    if (!cell) return;
    for (const other of cells) other.setAttribute("aria-selected", String(other === cell));
    choose(Number(cell.dataset.cycle));
  };
  map.addEventListener("click", pick);
  map.addEventListener("focusin", (event) => event.target.closest("[data-cycle]") && Number(event.target.dataset.cycle) !== chosen && event.target.matches(":focus-visible") && pick(event));
  const go = async (begin) => {
    const answer = await ask("window", { wish: wishNow(), cycle: Math.max(0, begin) });
    if (!answer.ok) return say(answer.message, "bad");
    view = answer.value;
    emit("run");
  };
  const length = 256;
  const tools = SHARED || run.last <= length ? null : h("div", { class: "tools" },
    h("button", { type: "button", disabled: window.begin === 0, onclick: () => go(window.begin - length) }, "Earlier"),
    h("button", { type: "button", disabled: window.end >= run.last, onclick: () => go(window.end) }, "Later"),
    h("label", {}, "from cycle", h("input", { type: "number", min: 0, max: run.last, value: window.begin, onchange: (event) => go(Number(event.target.value) || 0) })));
  return h("article", { class: "card" }, h("h3", {}, "Cycle by cycle", h("small", {}, `cycles ${number(window.begin)} to ${number(Math.max(window.begin, window.end - 1))}${window.begin === 0 && window.end >= run.last ? (run.drain ? ", all of the run with its drain" : ", all of the run") : `; the run has ${plural(run.last, "cycle")}`}`)), map, tools, h("div", { id: "story", "aria-live": "polite" }, story()));
}

/** Sentences about a cycle, from what the explorer tells of it. */
function reasons(why) {
  const slots = why.slots.map((slot) =>
    h("div", { class: "slot" }, h("h4", {}, slot.slot), slot.issued ? [h("code", {}, slot.issued.operation), " ", slot.issued.line ? lineLink(slot.issued.line) : null]
      : slot.next ? ["empty: ", h("code", {}, slot.next.operation), ` of cycle ${slot.next.cycle} came next; `, coded(slot.text), "."] : "empty: no operation takes this slot before the kernel ends, or for 256 cycles."));
  const parts = [slots.length ? h("div", { class: "slots" }, slots) : null];
  if (why.hold) parts.push(h("p", {}, `Held from cycle ${why.hold.first} to ${why.hold.behind - 1}`, why.hold.by ? [" by ", h("code", {}, why.hold.by.operation)] : null, why.hold.under_way.length ? ["; under way: ", why.hold.under_way.map((each, k) => [k ? ", " : "", h("code", {}, each.operation)])] : null, why.hold.not_needed ? `; ${plural(why.hold.not_needed, "cycle")} of it nothing needed.` : "."));
  if (why.skipped_by !== null) parts.push(h("p", {}, `A loop with count 0 begins at bundle ${why.skipped_by}: its first bundle takes a cycle and does nothing.`));
  if (why.pause) parts.push(h("p", {}, "No kernel ran."));
  if (why.chain.length > 1)
    parts.push(h("div", {}, h("p", { class: "quiet" }, "What it waited for, and that in turn"), h("ol", { class: "chain" }, why.chain.map((link) =>
      h("li", {}, h("code", {}, link.operation.operation), ` in cycle ${link.operation.cycle} `, link.operation.line ? lineLink(link.operation.line) : null, link.waited_for ? [", last operand ", h("code", {}, link.waited_for), link.ready === null ? "" : ` from cycle ${link.ready} on`, link.spare ? `, ${plural(link.spare, "cycle")} to spare` : ""] : null)))));
  return parts;
}

function story() {
  if (chosen === null) return h("p", { class: "quiet" }, SHARED ? "A cycle is explained where the explorer runs; the bundles that lost most are explained below." : "Choose a cycle, with the pointer or the arrow keys, to see why it is as it is.");
  const window = view || known.run.window;
  const cycle = window.cycles.find(([at]) => at === chosen);
  const cause = causeOf(cycle?.[1]);
  const head = h("h3", {}, cause ? chip(cause) : null, ` Cycle ${number(chosen)}`, h("small", {}, [moment?.label, cause?.text].filter(Boolean).join(", ")));
  if (SHARED) return h("div", { class: "story" }, head, cycle ? [cycle[2], cycle[3]].filter(Boolean).map(([text, line]) => h("p", {}, h("code", {}, text), " ", lineLink(line))) : null);
  if (moment?.error) return h("div", { class: "story" }, head, h("p", { class: "worse" }, moment.error));
  if (!moment || moment.cycle !== chosen) return h("div", { class: "story", "aria-busy": "true" }, head, h("p", { class: "quiet" }, "…"));
  return h("div", { class: "story" }, head, moment.why ? reasons(moment.why) : h("p", {}, "The run has ended."));
}

function stallsCard(run) {
  const { all, rows } = run.stalls;
  if (!rows.length) return h("article", { class: "card" }, h("h3", {}, "Lost cycles"), h("p", { class: "quiet" }, "In every cycle at least one slot had an operation."));
  const list = rows.map((row) =>
    h("div", { class: "stall" }, h("b", {}, number(row.cycles)), h("span", {}, lineLink(row.line, row.line ? `line ${row.line}` : `bundle ${row.address}`), " ", h("span", { class: "quiet" }, row.last === row.address ? row.label : `${row.label}, bundles ${row.address} to ${row.last}`)),
      row.example === null || SHARED ? h("span") : h("button", { type: "button", class: "line-link", onclick: () => show(row.example) }, `cycle ${number(row.example)}`),
      h("p", {}, row.why ? sentence(row.why) : "It is later than where examples are looked for.")));
  return h("article", { class: "card" }, h("h3", {}, "Lost cycles", h("small", {}, `${number(all)} of ${number(run.cycles)}, in which neither slot had an operation`)), list);
}
/** The shortest account of a lost cycle. */
function sentence(why) {
  if (why.hold) return [`held by `, h("code", {}, why.hold.by?.operation ?? "sync"), why.hold.under_way.length ? [" until ", h("code", {}, why.hold.under_way[0].operation), " has landed"] : null];
  if (why.skipped_by !== null) return "the first bundle of a loop with count 0";
  const slots = why.slots.filter((slot) => slot.next);
  return slots.length ? slots.map((slot, k) => [k ? h("br") : null, `${slot.slot}: `, h("code", {}, slot.next.operation), ` came in cycle ${slot.next.cycle}: `, coded(slot.text)]) : "no operation came before the kernel ended, or for 256 cycles";
}
/** Goes to a cycle, wherever it is. */
async function show(cycle) {
  const window = view || known.run.window;
  if (cycle < window.begin || cycle >= window.end) {
    const answer = await ask("window", { wish: wishNow(), cycle: Math.max(0, cycle - 64) });
    if (answer.ok) view = answer.value;
  }
  chosen = cycle;
  emit("run");
  document.querySelector(`[data-cycle="${cycle}"]`)?.focus();
  choose(cycle);
}

function cyclesView() {
  const card = argumentsCard();
  if (known.runError) return [card, h("p", { class: "empty" }, "The run did not begin: ", known.runError)];
  const run = known.run;
  if (!run) return h("p", { class: "empty" }, known.assembled ? "The run is under way." : "The text does not assemble yet. What is wrong stands under it.");
  return [causesCard(run), card, mapCard(run), stallsCard(run)];
}

/** Lives of the values of pipelined loops, as bars over the cycles of a turn. */
function livesCards() {
  return known.regions.flatMap((region) =>
    region.blocks.filter((block) => block.values.length).map((block) => {
      const length = Math.max(1, ...block.values.map((value) => value.last_read + 1));
      const rows = block.values.flatMap((value) => {
        const life = h("i", { style: { left: `${(100 * value.lands) / length}%`, width: `${(100 * (value.last_read - value.lands + 1)) / length}%` } });
        if (hues.has(value.line)) life.style.setProperty("--hue", hues.get(value.line));
        const where = value.registers.map((register) => `f${register}`).join(" ");
        const bar = h("div", { class: "life", role: "img", "aria-label": `from cycle ${value.lands} to ${value.last_read}`, title: `kept from cycle ${value.lands}, last read in ${value.last_read}; ${where}`, style: { "--columns": String(length > 64 ? 16 : length) } }, life);
        if (typeof value.line === "number") bar.dataset.line = value.line;
        return [h("span", {}, lineLink(value.line, value.name), ` ${where}`), bar];
      });
      return h("article", { class: "card" }, h("h3", {}, "Lives of values", h("small", {}, `loop of `, lineLink(block.line), `, cycles 0 to ${length - 1} of a turn`)), h("div", { class: "lives" }, rows));
    }),
  );
}

/** A value with its floats below it. */
function valueCell(text) {
  const [bits, floats] = text.split(/ (?=\()/);
  return [bits, floats ? h("span", { class: "floats" }, floats) : null];
}
/** The values of a register in the sections, once where all are the same. */
function sectionCells(cells) {
  const mark = (changed) => (changed ? "changed" : null);
  if (cells.every(([text]) => text === cells[0][0])) return h("td", { colspan: 4, class: cells.some(([, changed]) => changed) ? "changed same" : "same" }, cells[0][0], h("span", { class: "quiet" }, "  in all sections"));
  return cells.map(([text, changed]) => h("td", { class: mark(changed) }, valueCell(text)));
}

function registersView() {
  const lives = livesCards();
  const run = known.run;
  if (!run || SHARED) return lives.length ? lives : h("p", { class: "empty" }, SHARED ? "Registers at a cycle are shown where the explorer runs." : "There is no run yet.");
  const step = (by) => h("button", { type: "button", "aria-label": by < 0 ? "The cycle before" : "The next cycle", onclick: () => choose(Math.max(0, Math.min(run.last, (chosen ?? 0) + by))) }, by < 0 ? "◀" : "▶");
  const tools = h("div", { class: "tools" }, step(-1), h("label", {}, "before cycle", h("input", { type: "number", min: 0, max: run.last, value: chosen ?? "", placeholder: "0", onchange: (event) => choose(Math.max(0, Math.min(run.last, Number(event.target.value) || 0))) })), step(1), h("button", { type: "button", onclick: () => choose(run.last) }, "End"));
  const parts = [];
  if (moment && !moment.error && moment.cycle === chosen) {
    const table = (head, rows) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": head[0] }, h("table", { class: "grid registers" }, h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, rows)));
    parts.push(
      moment.pipeline.length ? table(["under way", ""], moment.pipeline.map(([name, text]) => h("tr", {}, h("td", {}, name), h("td", {}, text)))) : null,
      moment.loops.length ? table(["hardware loop", ""], moment.loops.map(([name, text]) => h("tr", {}, h("td", {}, name), h("td", {}, text)))) : null,
      moment.sections.length ? table(["register", "section 0", "section 1", "section 2", "section 3"], moment.sections.map(([name, cells]) => h("tr", {}, h("td", {}, name), sectionCells(cells)))) : null,
      moment.shared.length ? table(["shared register", "value"], moment.shared.map(([name, text, changed]) => h("tr", {}, h("td", {}, name), h("td", { class: changed ? "changed" : null }, text)))) : null,
      h("p", { class: "quiet" }, "Registers that hold 0 are left out; what the cycle before changed is marked."),
    );
  } else parts.push(h("p", { class: "quiet" }, moment?.error ?? "Choose a cycle here, or in the view of cycles."));
  return [h("article", { class: "card" }, h("h3", {}, "Registers", chosen === null ? null : h("small", {}, `before cycle ${number(chosen)}`)), tools, h("div", { class: "sections", style: { "margin-top": "12px" } }, parts)), lives];
}
