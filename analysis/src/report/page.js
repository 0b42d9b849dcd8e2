"use strict";
// The page of a run: everything is computed from the numbers that stand in it; nothing is loaded.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { account, timeline, windows, palette } = data;
  // Rows of numbers: a space between numbers, a semicolon between rows.
  const rowsOf = (text) => (text ? text.split(";").map((row) => row.split(" ").map(Number)) : []);
  timeline.rows = rowsOf(timeline.rows);
  account.profile.lines = rowsOf(data.parts.lines).map(([file, line, kernel, address, issues, flops, ...by], k) => {
    const cycles = by.reduce((a, b) => a + b, 0);
    return {
      file: data.parts.files[file - 1] || null, line: line || null, kernel: data.parts.kernels[kernel - 1] || null, address, issues, flops,
      cycles, share: cycles / Math.max(1, account.profile.cycles),
      causes: Object.fromEntries(palette.causes.map((c, n) => [c.name, by[n]])), text: data.parts.texts[k],
    };
  });
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const shade = (colour) => colour[dark ? 1 : 0];
  const style = getComputedStyle(document.documentElement);
  const css = (name) => style.getPropertyValue(name).trim();
  const $ = (id) => document.getElementById(id);
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const number = (n) => n.toLocaleString("en-US");
  const percent = (n, all) => (100 * n / Math.max(1, all)).toFixed(1) + " %";

  // Columns of a stretch: begin, end, causes, cycles of the channel, banks, flops.
  const CAUSES = palette.causes.length, CHANNEL = palette.channel.length;
  const AT = { causes: 2, channel: 2 + CAUSES, banks: 2 + CAUSES + CHANNEL };
  AT.flops = AT.banks + timeline.banks;
  AT.get = AT.flops + 1;
  AT.put = AT.flops + 2;
  const first = account.begin, last = account.end;

  const sum = (rows) => {
    const all = new Array(AT.put + 1).fill(0);
    for (const row of rows) for (let k = 2; k < row.length; k++) all[k] += row[k];
    all[0] = rows.length ? rows[0][0] : first;
    all[1] = rows.length ? rows[rows.length - 1][1] : first;
    return all;
  };
  const within = (from, to) => {
    const window = windows.find((w) => w.begin <= from && to <= w.end);
    const rows = window ? window.rows : timeline.rows;
    return { window, rows: rows.filter((row) => row[1] > from && row[0] < to) };
  };
  // At most so many buckets of neighbouring stretches.
  const buckets = (rows, most) => {
    const size = Math.ceil(rows.length / most) || 1;
    const all = [];
    for (let k = 0; k < rows.length; k += size) all.push(size === 1 ? rows[k] : sum(rows.slice(k, k + size)));
    return all;
  };

  // ---- summary -------------------------------------------------------------------------------------------
  const causes = palette.causes, channel = palette.channel;
  const totals = account.profile.causes;
  const tile = (key, value, text) =>
    $("summary").append(make("div", { class: "tile", "data-key": key }, make("b", {}, value), make("span", {}, text)));
  tile("cycles", number(account.cycles), "cycles");
  tile("kernel_cycles", number(account.kernel_cycles), `in kernels, ${percent(account.kernel_cycles, account.cycles)}`);
  tile("both_slots", percent(totals.both_slots, account.kernel_cycles), "of kernel cycles use both slots");
  const run = account.roofline.points[0];
  tile("flops", run.flops_per_cycle.toFixed(2), "flops per cycle");
  if (run.attainable) tile("attainable", percent(run.flops_per_cycle, run.attainable), `of what the ${run.ceiling} allows`);
  if (account.bytes_get + account.bytes_put > 0)
    tile("bytes", number(account.bytes_get + account.bytes_put), "bytes moved by DMA");
  $("about").textContent = `${account.command} · ${account.machine || "CP2 alone"}${account.core.length ? " · " + account.core.join(", ") : ""}`;
  $("command").textContent = data.made_by;

  // ---- timeline ------------------------------------------------------------------------------------------
  const layers = [
    ...causes.map((c, k) => ({ name: c.text, colour: c.colour, of: (row) => row[AT.causes + k] })),
    { name: "no kernel ran", colour: palette.neutral,
      of: (row) => row[1] - row[0] - row.slice(AT.causes, AT.causes + CAUSES).reduce((a, b) => a + b, 0) },
  ];
  const dma = channel.map((c, k) => ({ name: "DMA: " + c.text, colour: c.colour, of: (row) => row[AT.channel + k] })).reverse();
  const hasDma = timeline.rows.some((row) => row.slice(AT.channel + 1, AT.banks).some((n) => n > 0));
  const legend = (entries) => entries.forEach((l) => {
    const i = make("i");
    i.style.background = shade(l.colour);
    $("legend").append(make("span", {}, i, l.name));
  });
  legend(layers.filter((l) => timeline.rows.some((row) => l.of(row) > 0)));
  if (hasDma) legend(dma.filter((l) => timeline.rows.some((row) => l.of(row) > 0)));

  const stepped = uPlot.paths.stepped({ align: 1 });
  const axis = (extra) => ({ stroke: css("--dim"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line") }, font: "12px system-ui, sans-serif", ...extra });
  const sync = uPlot.sync("time");
  let view = [first, last];
  const charts = [];
  const chart = (name, height, series, values, range) => {
    const box = make("div", { role: "img", "aria-label": name });
    $("charts").append(make("div", { class: "chartname" }, name), box);
    const plot = new uPlot({
      width: box.clientWidth, height, series: [{ label: "cycle" }, ...series], legend: { show: false },
      scales: { x: { time: false, range: () => view }, y: { range } },
      axes: [axis({ show: true, size: 28, space: 90, values: (_, splits) => splits.map(number) }), axis({ size: 64 })],
      // Only the cursor is shared: what is dragged in one chart zooms all of them itself.
      cursor: { sync: { key: sync.key, setSeries: false, filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } }, drag: { x: true, y: false, setScale: false }, points: { show: false } },
      hooks: { setSelect: [(u) => {
        if (u.select.width < 3) return;
        const at = (px) => u.posToVal(px, "x");
        const [from, to] = [at(u.select.left), at(u.select.left + u.select.width)];
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        zoom(from, to);
      }] },
    }, [[first, last], ...series.map(() => [0, 0])], box);
    plot.over.addEventListener("dblclick", (e) => { e.stopImmediatePropagation(); zoom(first, last); }, true);
    plot.over.addEventListener("wheel", (e) => {
      // A wheel alone scrolls the page.
      if (!e.ctrlKey && !e.metaKey && !e.shiftKey) return;
      e.preventDefault();
      const span = view[1] - view[0], x = plot.posToVal(e.offsetX, "x");
      if (e.shiftKey) return zoom(view[0] + Math.sign(e.deltaY + e.deltaX) * span / 8, view[1] + Math.sign(e.deltaY + e.deltaX) * span / 8);
      const factor = e.deltaY < 0 ? 0.7 : 1 / 0.7;
      zoom(x - (x - view[0]) * factor, x + (view[1] - x) * factor);
    }, { passive: false });
    charts.push({ plot, values, box });
  };
  // Layers one over the other, the sum of all first, so that each is seen above those behind it.
  const stack = (of) => of.map((_, k) => of.slice(0, of.length - k));
  const shares = (of) => {
    const piles = stack(of);
    return {
      series: piles.map((pile) => ({ fill: shade(pile[pile.length - 1].colour), width: 0, paths: stepped, points: { show: false } })),
      values: (rows) => piles.map((pile) => rows.map((row) => 100 * pile.reduce((all, l) => all + l.of(row), 0) / (row[1] - row[0]))),
    };
  };
  const upper = shares(layers);
  chart("share of cycles by what the issue slots did, %", 170, upper.series, upper.values, () => [0, 100]);
  chart("floating-point operations per cycle", 110,
    [{ stroke: css("--mark"), width: 1.5, paths: stepped, points: { show: false } }],
    (rows) => [rows.map((row) => row[AT.flops] / (row[1] - row[0]))], (_, low, high) => [0, Math.max(1, high)]);
  if (hasDma) {
    const lower = shares(dma);
    chart("share of cycles by what the DMA channel did, %", 120, lower.series, lower.values, () => [0, 100]);
  }
  if (timeline.banks > 1) {
    const bank = (k) => ({ stroke: shade(palette.banks[k % palette.banks.length]), width: 1.5, paths: stepped, points: { show: false } });
    chart("accesses of kernels to each bank of local memory, % of cycles", 100,
      Array.from({ length: timeline.banks }, (_, k) => bank(k)),
      (rows) => Array.from({ length: timeline.banks }, (_, k) => rows.map((row) => 100 * row[AT.banks + k] / (row[1] - row[0]))), () => [0, 100]);
  }

  const readout = (rows) => {
    const all = sum(rows), cycles = all[1] - all[0];
    const table = $("readout");
    table.replaceChildren();
    table.dataset.begin = all[0];
    table.dataset.end = all[1];
    const row = (key, n, text) => {
      const line = make("tr", {}, make("td", {}, number(n)), make("td", {}, percent(n, cycles)), make("td", { class: "left" }, text));
      line.dataset.key = key;
      line.dataset.value = n;
      table.append(line);
    };
    table.append(make("tr", {}, make("td", { class: "left", colspan: 3 },
      make("b", {}, `cycles ${number(all[0])} to ${number(all[1])}`), ` · ${number(all[AT.flops])} flops, ${(all[AT.flops] / Math.max(1, cycles)).toFixed(2)} per cycle`)));
    table.dataset.flops = all[AT.flops];
    causes.forEach((c, k) => all[AT.causes + k] && row(c.name, all[AT.causes + k], c.text));
    const none = layers[layers.length - 1].of(all);
    if (none) row("without_kernel", none, "no kernel ran");
    channel.forEach((c, k) => k && all[AT.channel + k] && row("dma_" + c.name, all[AT.channel + k], "DMA: " + c.text));
  };

  // Single cycles of a window, once few enough are in sight.
  const cycles = (window) => {
    const box = $("cycles");
    box.replaceChildren();
    const [from, to] = [Math.ceil(view[0]), Math.ceil(view[1])];
    if (!window || to - from > 400) return;
    const table = make("table", {}, make("tr", {}, ...["cycle", "arithmetic slot", "exchange slot", "place", "bank", "DMA"].map((t, k) => make("th", { class: k ? "left" : "" }, t))));
    for (let cycle = from; cycle < to; cycle++) {
      const of = window.cycles[cycle - window.begin];
      if (!of) continue;
      const [cause, banks, arithmetic, exchange, place, beat] = of;
      const line = make("tr", {}, make("td", { class: "mono" }, String(cycle)));
      const texts = arithmetic || exchange ? [arithmetic, exchange] : [cause < 0 ? "(no kernel ran)" : `(${causes[cause].text})`, ""];
      texts.forEach((text) => line.append(make("td", { class: "code" }, text)));
      line.append(make("td", { class: "left" }, place), make("td", { class: "left" }, banks), make("td", { class: "left" }, beat));
      line.firstChild.style.borderLeft = `6px solid ${shade(cause < 0 ? palette.neutral : causes[cause].colour)}`;
      table.append(line);
    }
    box.append(make("div", { class: "scroll" }, table));
  };

  // ---- the machine ---------------------------------------------------------------------------------------
  const machine = (rows) => {
    const all = sum(rows), cause = (name) => all[AT.causes + causes.findIndex((c) => c.name === name)];
    const dma = (...names) => names.reduce((n, name) => n + all[AT.channel + channel.findIndex((c) => c.name === name)], 0);
    const facts = {
      begin: all[0], end: all[1], cycles: all[1] - all[0], flops: all[AT.flops], get: all[AT.get], put: all[AT.put],
      kernel: all.slice(AT.causes, AT.channel).reduce((a, b) => a + b, 0), banks: all.slice(AT.banks, AT.flops),
      arithmetic: cause("both_slots") + cause("arithmetic_only"), exchange: cause("both_slots") + cause("exchange_only"),
      moving: dma("beat"), waiting: dma(...channel.map((c) => c.name).filter((name) => name !== "beat" && name !== "idle")),
    };
    const of = (name) => shade(channel.find((c) => c.name === name).colour);
    machinePicture($("machine"), facts, { channel: of("beat"), banks: palette.banks.map(shade), slots: shade(causes[0].colour) }, number);
  };

  // ---- steps ---------------------------------------------------------------------------------------------
  const { names, levels, left_out: leftOut } = data.steps;
  const steps = rowsOf(data.steps.rows).map(([level, begin, length, name]) => ({ level, begin, end: begin + length, name: names[name] }));
  const byLevel = levels.map((_, level) => steps.filter((step) => step.level === level)).map((own, level) => ({ own, level })).filter(({ own }) => own.length);
  // Steps that differ only in a number have one colour.
  const kinds = [...new Set(steps.map((step) => step.name.replace(/[\d., x]+/g, "")))];
  const tones = [...palette.banks, ...palette.channel.slice(1).map((c) => c.colour)];
  const tone = (name) => shade(tones[kinds.indexOf(name.replace(/[\d., x]+/g, "")) % tones.length]);
  // A lane for each level over the charts: steps in sight by name, those that are too narrow as one grey stretch.
  const lanes = () => {
    const box = $("steps");
    if (!steps.length) return;
    box.hidden = false;
    const { left, width } = charts[0].plot.over.getBoundingClientRect();
    const start = left - box.getBoundingClientRect().left, scale = width / (view[1] - view[0]);
    const x = (cycle) => start + Math.min(width, Math.max(0, (cycle - view[0]) * scale));
    box.replaceChildren(...byLevel.map(({ own, level }) => {
      const lane = make("div", { class: "steplane", role: "group", "aria-label": `${levels[level]}: ${number(own.length)} in the run` });
      lane.append(make("span", { class: "levelname", title: levels[level] }, levels[level]));
      let grey = null;
      const close = () => {
        if (!grey) return;
        const block = make("i", { title: `${number(grey.n)} steps, too narrow to show` });
        block.style.left = grey.from + "px";
        block.style.width = Math.max(1, grey.to - grey.from) + "px";
        lane.append(block);
        grey = null;
      };
      own.filter((step) => step.end > view[0] && step.begin < view[1]).forEach((step) => {
        const [from, to] = [x(step.begin), x(step.end)];
        if (to - from < 3) {
          if (grey && from - grey.to > 1) close();
          grey = grey ? { from: grey.from, to, n: grey.n + 1 } : { from, to, n: 1 };
          return;
        }
        close();
        const text = `${step.name}: cycles ${number(step.begin)} to ${number(step.end)}, ${number(step.end - step.begin)}`;
        const button = make("button", { type: "button", tabindex: "-1", title: text, class: to - from < 40 ? "narrow" : "" }, to - from < 40 ? "" : step.name);
        button.style.left = from + "px";
        button.style.width = to - from + "px";
        button.style.setProperty("--shade", tone(step.name));
        button.addEventListener("click", () => zoom(step.begin, step.end));
        lane.append(button);
      });
      close();
      return lane;
    }));
  };
  const stepTable = () => {
    if (!steps.length) return;
    $("by-step").hidden = false;
    $("steptable").append(make("tr", {}, ...["cycles", "share", "steps", "level", "name"].map((t, k) => make("th", { scope: "col", class: k > 2 ? "left" : "" }, t))));
    const sums = new Map();
    // Pages are numbered from stage to stage: their names alone say nothing.
    steps.filter((step) => levels[step.level] !== "page").forEach((step) => {
      const key = step.level + " " + step.name, old = sums.get(key) || { step, n: 0, cycles: 0 };
      sums.set(key, { step: old.step, n: old.n + 1, cycles: old.cycles + step.end - step.begin });
    });
    const rows = [...sums.values()].sort((a, b) => a.step.level - b.step.level || b.cycles - a.cycles);
    rows.slice(0, 200).forEach(({ step, n, cycles }) => {
      const button = make("button", { type: "button" }, step.name);
      button.addEventListener("click", () => { zoom(step.begin, step.end); $("view-timeline").scrollIntoView(); });
      $("steptable").append(make("tr", { "data-step": step.name }, make("td", {}, number(cycles)), make("td", {}, percent(cycles, account.cycles)), make("td", {}, number(n)), make("td", { class: "left" }, levels[step.level]), make("td", { class: "name" }, button)));
    });
    const notes = [];
    if (rows.length > 200) notes.push(`${number(rows.length - 200)} more names are not shown.`);
    if (leftOut) notes.push(`${number(leftOut)} steps of the deepest levels are left out.`);
    $("stepnote").hidden = !notes.length;
    $("stepnote").textContent = notes.join(" ");
  };
  stepTable();

  const zoom = (from, to) => {
    const span = Math.min(Math.max(to - from, 4), last - first);
    from = Math.min(Math.max(from, first), last - span);
    view = [from, from + span];
    const { window, rows } = within(...view);
    const shown = buckets(rows, 700);
    const x = shown.map((row) => row[0]);
    if (shown.length) x.push(shown[shown.length - 1][1]);
    for (const { plot, values } of charts)
      plot.setData([x, ...values(shown).map((of) => [...of, of[of.length - 1]])]);
    readout(rows);
    cycles(window);
    machine(rows);
    lanes();
    link();
  };
  // The address of the page tells what is in sight, as `cp2 view` takes it: #cycles=A..B&view=NAME.
  const VIEWS = ["timeline", "machine", "steps", "roofline", "stages", "source", "loops"];
  let named = null, due = 0;
  const link = () => {
    clearTimeout(due);
    due = setTimeout(() => {
      const [from, to] = [Math.floor(view[0]), Math.ceil(view[1])];
      const parts = from <= first && to >= last ? [] : [`cycles=${from}..${to}`];
      if (named) parts.push(`view=${named}`);
      const hash = parts.length ? "#" + parts.join("&") : "";
      if (hash !== location.hash) history.replaceState(null, "", location.pathname + location.search + hash);
    }, 150);
  };
  const follow = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const [, from, to] = /^(\d+)\.\.(\d+)$/.exec(wanted.get("cycles") || "") || [];
    named = VIEWS.includes(wanted.get("view")) ? wanted.get("view") : null;
    if (from !== undefined && +from < +to) zoom(+from, +to);
    else zoom(first, last);
    if (named) $("view-" + named).scrollIntoView();
  };
  addEventListener("hashchange", follow);
  windows.forEach((w) => {
    const button = make("button", { type: "button", "data-window": w.begin }, `cycles ${number(w.begin)} to ${number(w.end)}, one by one`);
    button.addEventListener("click", () => zoom(w.begin, Math.min(w.end, w.begin + 120)));
    $("windows").append(" ", button);
  });
  // Parts of the span by which the begin and the end of what is in sight move.
  const MOVES = { "+": [1 / 6, -1 / 6], "-": [-1 / 4, 1 / 4], ArrowLeft: [-1 / 8, -1 / 8], ArrowRight: [1 / 8, 1 / 8] };
  const move = (key) => {
    const span = view[1] - view[0], [from, to] = MOVES[key];
    zoom(view[0] + from * span, view[1] + to * span);
  };
  for (const [id, key] of [["in", "+"], ["out", "-"], ["left", "ArrowLeft"], ["right", "ArrowRight"]])
    $(id).addEventListener("click", () => move(key));
  for (const name of VIEWS)
    $("view-" + name).addEventListener("click", () => { named = name; link(); });
  $("all").addEventListener("click", () => zoom(first, last));
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "Escape") return zoom(first, last);
    // Keys of other parts of the page are theirs.
    if (!MOVES[e.key] || !$("charts").contains(document.activeElement)) return;
    e.preventDefault();
    move(e.key);
  });
  const roofs = [];
  addEventListener("resize", () => {
    [...charts, ...roofs].forEach(({ plot, box }) => plot.setSize({ width: box.clientWidth, height: plot.height }));
    lanes();
  });
  zoom(first, last);

  // ---- names of parts ------------------------------------------------------------------------------------
  // Generated texts have names too long for a table: the kernel and the line tell as much.
  const labelBefore = ({ kernel, address }) => {
    const before = account.profile.labels.filter((l) => l.label && l.kernel === kernel && l.address <= address);
    const label = before.reduce((best, l) => (best && best.address >= l.address ? best : l), null);
    return label ? label.label : kernel || "–";
  };
  const isLong = (file) => file.length > 24;
  const loopName = (loop) => {
    if (loop.do === null) return "in no hardware loop";
    const [file, rest] = [loop.place.replace(/:\d+( .*)?$/, ""), loop.place.match(/:(\d+)( .*)?$/)];
    return rest && isLong(file) ? `${labelBefore({ kernel: loop.kernel, address: loop.do })}, line ${rest[1]}` : "loop at " + loop.place;
  };
  const partName = (point) => {
    const loop = point.do === null ? null : account.profile.loops.find((l) => l.do === point.do);
    return loop && "loop at " + loop.place === point.name ? loopName(loop) : point.name;
  };

  // ---- roofline ------------------------------------------------------------------------------------------
  // The first point is the whole run; the number of another one is that of its row.
  const points = account.roofline.points.map((p, k) => ({ ...p, row: k }))
    .filter((p) => p.flops > 0 && (p.row === 0 || p.cycles >= account.cycles / 100));
  // Writes the numbers of points beside them, where there is room.
  const numbers = (own, of, at) => (u) => {
    const { ctx } = u, scale = devicePixelRatio;
    ctx.save();
    ctx.font = `${11 * scale}px system-ui, sans-serif`;
    ctx.fillStyle = css("--text");
    ctx.textBaseline = "middle";
    const place = (p) => [u.valToPos(of(p), "x", true), u.valToPos(at(p), "y", true)];
    const taken = own.map((p) => [...place(p), 6 * scale, 6 * scale]);
    const meets = ([x, y, w, h]) => taken.some(([a, b, c, d]) => Math.abs(x - a) < w + c && Math.abs(y - b) < h + d);
    own.filter((p) => p.row > 0).forEach((p) => {
      const text = String(p.row), [x, y] = place(p);
      const half = [ctx.measureText(text).width / 2 + scale, 6 * scale];
      const far = (n) => [[1, 0], [0, -1], [-1, 0], [0, 1], [1, -1], [-1, -1], [1, 1], [-1, 1]].map(([i, j]) => [x + i * n * (half[0] + 8 * scale), y + j * n * 14 * scale, ...half]);
      const free = [...far(1), ...far(1.7)].find((box) => !meets(box));
      if (!free) return;
      taken.push(free);
      ctx.textAlign = "center";
      ctx.fillText(text, free[0], free[1]);
    });
    ctx.restore();
  };
  // Ticks of a logarithmic axis have numbers where they are 1, 2 or 5 times a power of ten.
  const marks = (_, splits) => splits.map((v) => {
    const digit = v / 10 ** Math.floor(Math.log10(v) + 1e-9);
    return [1, 2, 5].some((d) => Math.abs(digit - d) < 1e-6) ? String(+v.toPrecision(3)) : "";
  });
  const roof = (id, title, of, ceilings, unit) => {
    const own = points.filter((p) => of(p) !== null);
    if (!own.length) return;
    const xs = own.map(of);
    const low = Math.min(...xs) / 4, high = Math.max(...xs) * 4;
    const grid = Array.from({ length: 41 }, (_, k) => low * (high / low) ** (k / 40));
    const x = [...new Set([...grid, ...xs])].sort((a, b) => a - b);
    const flat = account.roofline.ceilings.find((c) => c.per === "cycle");
    const lines = ceilings.filter(Boolean).map((c) => ({ name: `${c.name}: ${c.rate.toFixed(2)} ${unit} per cycle`, at: (v) => Math.min(flat.rate, v * c.rate) }));
    lines.push({ name: `arithmetic slot: ${flat.rate.toFixed(0)} flops per cycle`, at: () => flat.rate });
    if (flat.of_run) lines.push({ name: `arithmetic slot with this run's operations: ${flat.of_run.toFixed(1)}`, at: () => flat.of_run, dash: [6, 5] });
    const colours = [palette.causes[2].colour, palette.channel[5].colour, palette.causes[1].colour, palette.causes[1].colour].map(shade);
    const box = make("div", { role: "img", "aria-label": "flops per cycle " + title });
    $(id).append(make("div", { class: "chartname" }, title), box);
    const at = (p) => Math.max(p.flops_per_cycle, 1e-3);
    const ys = own.map(at);
    const plot = new uPlot({
      width: $(id).clientWidth, height: 300, legend: { show: true, live: false },
      scales: { x: { time: false, distr: 3, range: [low, high] }, y: { distr: 3, range: [Math.min(...ys, flat.rate / 20) / 1.5, flat.rate * 1.6] } },
      axes: [axis({ label: `flops per ${unit.slice(0, -1)}`, labelFont: "12px system-ui", size: 40, labelSize: 20, values: marks, filter: (_, splits) => splits }), axis({ values: marks, filter: (_, splits) => splits, label: "flops per cycle", labelFont: "12px system-ui", size: 56, labelSize: 20 })],
      cursor: { drag: { x: false, y: false }, show: false },
      hooks: { draw: [numbers(own, of, at)] },
      series: [{ label: "flops per " + unit.slice(0, -1) },
        ...lines.map((l, k) => ({ label: l.name, stroke: colours[k % colours.length], width: 2, dash: l.dash, points: { show: false } })),
        ...own.map((p, k) => ({ label: partName(p), stroke: css("--mark"), paths: () => null, points: { show: true, size: k ? 9 : 14, fill: k ? css("--ground") : css("--mark"), width: 2 } }))],
    }, [x, ...lines.map((l) => x.map(l.at)), ...own.map((p) => x.map((v) => (v === of(p) ? at(p) : null)))], box);
    roofs.push({ plot, box });
    // Points have their rows below; the legend is of the ceilings and the whole run.
    box.querySelectorAll(".u-series").forEach((entry, k) => { if (k >= lines.length + (own[0].row === 0 ? 1 : 0)) entry.remove(); });
  };
  const ceiling = (per) => account.roofline.ceilings.find((c) => c.per === per);
  roof("roofline", "against words of local memory that the kernel moves", (p) => p.flops_per_word || null, [ceiling("local_word")], "words");
  roof("roofline", "against bytes of system memory that the channel moves", (p) => p.flops_per_byte || null, [ceiling("system_byte")], "bytes");
  const head = (table, names, left) => table.append(make("tr", {}, ...names.map((t, k) => make("th", { scope: "col", class: left.includes(k) ? "left" : "" }, t))));
  head($("points"), ["", "part", "cycles", "flops per cycle", "flops per word", "flops per byte", "ceiling", "allows", "fuller slot, cycles", "% of cycles"], [1, 6]);
  const fixed = (n) => (n === null ? "–" : n.toFixed(2));
  account.roofline.points.forEach((p, k) => $("points").append(make("tr", {}, make("td", { class: "number" }, k ? String(k) : "●"), make("td", { class: "name", title: p.name }, partName(p)),
    ...[number(p.cycles), fixed(p.flops_per_cycle), fixed(p.flops_per_word), fixed(p.flops_per_byte)].map((t) => make("td", {}, t)),
    make("td", { class: "left" }, p.ceiling || "–"), ...[fixed(p.attainable), number(p.least_cycles), percent(p.least_cycles, p.cycles)].map((t) => make("td", {}, t)))));

  // ---- heat ----------------------------------------------------------------------------------------------
  const bar = (part) => {
    const box = make("span", { class: "bar" });
    causes.forEach((c) => {
      const n = part.causes[c.name];
      if (!n) return;
      const i = make("i", { title: `${c.text}: ${number(n)}` });
      i.style.width = `${100 * n / part.cycles}%`;
      i.style.background = shade(c.colour);
      box.append(i);
    });
    return box;
  };
  const fileName = (part) => (isLong(part.file) ? labelBefore(part) : part.file);
  const heat = (share) => shade(palette.heat[Math.min(palette.heat.length - 1, Math.ceil(Math.sqrt(share) * (palette.heat.length - 1)))]);
  const cells = (part) => [make("td", {}, number(part.cycles)), make("td", {}, percent(part.cycles, account.kernel_cycles)), make("td", {}, part.issues ? number(part.issues) : "–"), make("td", { class: "left" }, bar(part)), make("td", {}, part.flops ? number(part.flops) : "–")];
  const { stages } = account.profile;
  if (stages.length) {
    $("by-stage").hidden = false;
    head($("stages"), ["cycles", "share", "issues", "by cause", "flops", "stage"], [3, 5]);
    const several = new Set(stages.map((part) => part.kernel)).size > 1;
    stages.forEach((part) => {
      const name = (several && part.kernel ? part.kernel + ": " : "") + (part.stage || "of no stage");
      const line = make("tr", { "data-stage": part.stage || "" }, ...cells(part), make("td", { class: "name", title: name }, name));
      line.firstChild.style.background = heat(part.share);
      $("stages").append(line);
    });
  }
  // A longer source begins with the most expensive lines, the first of them alone.
  const LONG = 200;
  let most = LONG;
  $("hot").checked = account.profile.lines.length > LONG;
  const lines = () => {
    const table = $("lines"), hot = $("hot").checked;
    table.replaceChildren();
    head(table, ["cycles", "share", "issues", "by cause", "flops", "line", "source"], [3, 5, 6]);
    const all = [...account.profile.lines];
    if (hot) all.sort((a, b) => b.cycles - a.cycles);
    let file = null;
    const more = $("more");
    more.hidden = all.length <= most;
    more.textContent = `all ${number(all.length)} lines`;
    all.slice(0, most).forEach((part) => {
      if (!hot && part.file !== file) {
        file = part.file;
        table.append(make("tr", { class: "file" }, make("td", { colspan: 7 }, file || "bundles of no line")));
      }
      const line = make("tr", { "data-line": part.line || 0 }, ...cells(part), make("td", { class: "name", title: part.file || "" }, part.line ? (hot ? fileName(part) + ":" : "") + part.line : ""), make("td", { class: "code" }, part.text));
      line.firstChild.style.background = heat(part.share);
      table.append(line);
    });
  };
  $("hot").addEventListener("change", lines);
  $("more").addEventListener("click", () => { most = Infinity; lines(); });
  lines();
  head($("loops"), ["cycles", "share", "issues", "by cause", "flops", "part"], [3, 5]);
  [...account.profile.loops.map((p) => [p, loopName(p)]), ...account.profile.labels.map((p) => [p, "label " + (p.label || "–")])]
    .forEach(([part, name]) => $("loops").append(make("tr", {}, ...cells(part), make("td", { class: "name", title: part.place || name }, name))));
  follow();
  window.cp2 = { zoom, data, view: () => view };
})();
