// The page at work: what is asked of the explorer and when, views, the file, and what happens when something goes wrong.
const VIEWS = { schedule: ["Schedule", scheduleView], bundles: ["Bundles", bundlesView], cycles: ["Cycles", cyclesView], registers: ["Registers", registersView], machine: ["What if", machineView] };
const wishNow = () => ({ text: editor.value(), line: known.cases ? editor.line() : 0, ...wish });
let saved = DATA.wish.text, fileMark = DATA.mark, control = null, timer = 0, offline = false, acts = 0;

function state(text, kind) {
  byId("state-text").textContent = text;
  byId("lamp").className = `lamp ${kind || ""}`;
}
/** Shows a sentence above the panes, with what can be done; one of each kind at a time. */
function say(text, kind, actions = [], id = "note") {
  byId(`banner-${id}`)?.remove();
  const close = h("button", { type: "button", onclick: () => banner.remove() }, "Close");
  const buttons = actions.map(([name, act]) => h("button", { type: "button", onclick: () => (banner.remove(), act()) }, name));
  const banner = h("div", { class: `banner ${kind || ""}`, id: `banner-${id}`, role: "alert" }, h("p", {}, text), buttons, id === "offline" ? null : close);
  byId("banners").append(banner);
}

/** Asks the explorer; an answer that cannot be had is a sentence. */
async function ask(what, body, options = {}) {
  try {
    const response = await fetch(what, { method: body ? "POST" : "GET", body: body && JSON.stringify(body), headers: body ? { "content-type": "application/json" } : {}, ...options });
    if (response.status === 403) throw new TypeError(await response.text());
    back();
    if (options.raw && response.ok) return { ok: true, response };
    const value = await response.json();
    return response.ok ? { ok: true, value } : { ok: false, message: value.message };
  } catch (error) {
    if (error.name === "AbortError") return { ok: false, aborted: true, message: "" };
    gone(error.message);
    return { ok: false, message: "the explorer does not answer; your text is kept in this page" };
  }
}
function gone(why) {
  state("no explorer", "bad");
  if (offline) return;
  offline = true;
  const foreign = why.startsWith("The token");
  say(
    foreign
      ? "Another explorer answers at this address now. Your text is kept in this page: copy or download it, and open the address that the other one printed."
      : `The explorer has ended or cannot be reached. Your text is kept in this page, and nothing is written. Download it, or start \`cp2 explore\` anew, open the address that it prints, and paste it there.`,
    "bad",
    [],
    "offline",
  );
  byId("banner-offline").append(h("button", { type: "button", class: "primary", onclick: download }, "Download the text"), h("button", { type: "button", onclick: () => watch(true) }, "Try again"));
  dim(true);
}
function back() {
  if (!offline) return;
  offline = false;
  byId("banner-offline")?.remove();
  explore();
}

/** Takes a stage of an answer into what is known. */
function take(stage) {
  const { stage: name } = stage;
  if (name === "words") {
    known.words = stage.words;
    emit("words");
  } else if (name === "refused" || name === "findings") {
    known.refused = name === "refused" ? stage.message : null;
    known.findings = stage.findings || [];
    known.assembled = Boolean(stage.assembled);
    known.cases = stage.cases || null;
    Object.assign(known, { compared: [], promises: [] });
    if (known.assembled) Object.assign(known, { program: stage.program, regions: stage.regions, core: stage.core });
    else Object.assign(known, { program: null, regions: [], run: null, arguments: null, runError: null });
    paintLines();
    emit("findings");
  } else if (name === "run") {
    forget();
    Object.assign(known, { run: stage.run || null, runError: stage.error || null, arguments: stage.arguments });
    emit("run");
  } else if (name === "compared") {
    known.compared[stage.place] = stage.row;
    emit("compared");
  } else if (name === "promises") {
    known.promises = stage.regions;
    emit("promises");
  }
}

const dim = (stale) => document.querySelectorAll(".panel").forEach((panel) => panel.classList.toggle("stale", stale));

/** Has the text explored; what was asked before is not wanted any more. */
async function explore() {
  if (SHARED) return;
  clearTimeout(timer);
  control?.abort();
  const mine = (control = new AbortController());
  const begin = performance.now();
  state("working", "busy");
  byId("panels").setAttribute("aria-busy", "true");
  const answer = await ask("explore", wishNow(), { signal: mine.signal, raw: true });
  if (answer.aborted || mine !== control) return;
  if (!answer.ok) return offline || (say(answer.message, "bad"), state("refused", "bad"));
  let rest = "", ended = false;
  try {
    const reader = answer.response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (mine !== control) return;
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        const stage = JSON.parse(line);
        if (stage.stage === "done") ended = true;
        else take(stage);
      }
    }
  } catch (error) {
    if (mine !== control || error.name === "AbortError") return;
    return gone(error.message);
  }
  byId("panels").removeAttribute("aria-busy");
  dim(false);
  if (!ended) {
    say("The explorer has broken off: this is a bug of cp2, which its terminal tells. Your text is kept in this page.", "bad");
    return state("broken off", "bad");
  }
  const took = performance.now() - begin;
  const errors = known.findings.filter((finding) => finding.severity === "error").length;
  if (known.refused) state(known.refused, "bad");
  else if (errors) state(plural(errors, "error"), "bad");
  else state(`up to date, ${took < 1000 ? `${Math.round(took)} ms` : `${(took / 1000).toFixed(1)} s`}`);
}
function later() {
  clearTimeout(timer);
  timer = setTimeout(explore, 120);
}

function tiles() {
  const { run, regions, program } = known;
  const loops = regions.flatMap((region) => region.blocks).filter((block) => block.ii !== null);
  const busy = run && run.cycles ? (2 * run.causes[0] + run.causes[1] + run.causes[2]) / (2 * run.cycles) : null;
  const loop = loops.length === 1 ? loops[0] : null;
  const all = [
    ["cycles", run && number(run.cycles), run && !run.is_right ? "not stopped" : ""],
    ["bundles", program && number(program.all), known.cases ? `case ${known.cases.shown}` : ""],
    loop ? ["interval", number(loop.ii), `bound ${Math.max(loop.resource_bound, loop.recurrence_bound || 0)}`] : ["loops", known.assembled ? number(loops.length) : null, "scheduled"],
    ["slots in use", busy === null ? null : `${(100 * busy).toFixed(1)} %`, ""],
    ["flops a cycle", run && run.cycles ? (run.flops / run.cycles).toFixed(2) : null, ""],
  ];
  fill(byId("tiles"), all.map(([name, value, note]) => h("div", {}, h("dt", {}, name), h("dd", {}, value ?? "–", note && value !== null ? h("small", {}, note) : null))));
}

function findingsList() {
  const { findings } = known;
  const errors = findings.filter((finding) => finding.severity === "error").length;
  const toggle = byId("findings-toggle");
  const warnings = findings.length - errors;
  toggle.textContent = findings.length ? [errors && plural(errors, "error"), warnings && plural(warnings, "warning")].filter(Boolean).join(", ") : "nothing to complain of";
  fill(byId("findings"), findings.map((finding) =>
    h("li", { class: finding.severity }, h("button", { type: "button", onclick: () => finding.range && editor.go(finding.range[0], finding.range[1]) },
      h("span", { class: "what" }, finding.range ? `line ${finding.range[0]}` : "text", finding.code ? ` · ${finding.code}` : ""), ` ${finding.message}`,
      finding.notes.concat(finding.related.map((each) => `${each.text}: ${each.place}`), finding.help ? [finding.help] : []).map((text) => h("span", { class: "advice" }, text))))));
}

// Views.
let shown = "schedule";
const wide = matchMedia("(min-width: 1700px)");
function views() {
  fill(byId("tabs"), Object.entries(VIEWS).map(([id, [name]]) => h("button", { type: "button", role: "tab", id: `tab-${id}`, "data-view": id, "aria-controls": `panel-${id}`, onclick: () => select(id) }, name)));
  fill(byId("panels"), Object.keys(VIEWS).map((id) => h("div", { class: id === "bundles" ? "panel bare" : "panel", role: "tabpanel", id: `panel-${id}`, "data-view": id, "aria-labelledby": `tab-${id}`, tabindex: "0" })));
  byId("tabs").addEventListener("keydown", (event) => {
    const tabs = [...byId("tabs").children].filter((tab) => tab.offsetParent);
    const at = tabs.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    select(next.dataset.view);
    next.focus();
  });
}
function select(id) {
  shown = wide.matches && id === "bundles" ? "schedule" : id;
  for (const tab of byId("tabs").children) {
    tab.setAttribute("aria-selected", String(tab.dataset.view === shown));
    tab.tabIndex = tab.dataset.view === shown ? 0 : -1;
  }
  for (const panel of byId("panels").children) panel.hidden = panel.dataset.view !== shown && !(wide.matches && panel.dataset.view === "bundles");
}
/** Draws views anew, and leaves the place in them where it was. */
function draw(...ids) {
  for (const id of ids) {
    const panel = byId(`panel-${id}`);
    const active = document.activeElement;
    const [top, cycle, field] = [panel.scrollTop, panel.contains(active) && active.dataset.cycle, panel.contains(active) && (active.dataset.argument || active.id)];
    fill(panel, [VIEWS[id][1]()]);
    panel.scrollTop = top;
    if (cycle) panel.querySelector(`[data-cycle="${cycle}"]`)?.focus({ preventScroll: true });
    if (field) (panel.querySelector(`[data-argument="${CSS.escape(field)}"]`) || byId(field))?.focus({ preventScroll: true });
  }
}
wide.addEventListener("change", () => select(shown));
on("findings", () => (findingsList(), tiles(), draw("schedule", "bundles", "machine", "registers"), known.assembled || draw("cycles")));
on("run", () => (tiles(), draw("cycles", "registers", "bundles")));
on("moment", () => (byId("story") && fill(byId("story"), story()), draw("registers")));
on("compared", () => draw("machine"));
on("promises", () => draw("schedule"));
on("wish", () => (draw("machine"), keep(), explore()));

/** Of a file test the case is shown in which the caret is. */
on("caret", (line) => {
  if (SHARED || !known.cases) return;
  const here = known.cases.all.find((each) => each.first <= line && line <= each.last);
  if (here && here.name !== known.cases.shown) explore();
});

// The file.
const plain = (text) => text?.replace(/\r\n?/g, "\n");
const isDirty = () => plain(editor.value()) !== plain(saved);
function keep() {
  byId("dirty").hidden = !isDirty() || !DATA.can_save;
  byId("save").disabled = !DATA.can_save || !isDirty();
  try {
    if (isDirty()) sessionStorage.setItem(DATA.path, JSON.stringify({ text: editor.value(), saved, mark: fileMark }));
    else sessionStorage.removeItem(DATA.path);
  } catch {
    // A browser that keeps nothing has the text in the page still.
  }
}
on("typed", () => (keep(), dim(true), later()));
async function save(replace = false) {
  if (!DATA.can_save) return say("This text is in no file. Download it, or start `cp2 explore FILE`.", "");
  const text = editor.value();
  acts++;
  const answer = await ask("save", { text, mark: fileMark, replace });
  if (!answer.ok) return say(`Nothing was written: ${answer.message}.`, "bad");
  if (!answer.value.saved) {
    return say(`${answer.value.message}.`, "", [["Replace it", () => save(true)], ["Take its text", reload]], "file");
  }
  [saved, fileMark] = [text, answer.value.mark];
  byId("banner-file")?.remove();
  keep();
  state("saved");
}
async function reload() {
  acts++;
  const answer = await ask("file");
  if (!answer.ok) return say(`${answer.message}.`, "bad");
  if (!answer.value.there) return say(`${answer.value.message}.`, "", [], "file");
  [saved, fileMark] = [answer.value.text, answer.value.mark];
  editor.take(saved);
  keep();
  explore();
}
/** Looks whether the file is another one than the page knows. */
async function watch(always = false) {
  if (SHARED || (document.hidden && !always)) return;
  const before = acts;
  const answer = await ask("file");
  // What was asked before the page wrote or read the file is old.
  if (before !== acts || !answer.ok || !DATA.can_save || answer.value.mark === fileMark) return;
  const { value } = answer;
  if (!value.there) {
    fileMark = value.mark;
    saved = null;
    keep();
    return say(`${value.message}.`, "", [["Save", () => save()]], "file");
  }
  if (!isDirty()) {
    [saved, fileMark] = [value.text, value.mark];
    editor.take(value.text);
    keep();
    return explore();
  }
  if (byId("banner-file")?.dataset.mark === value.mark) return;
  if (value.text === editor.value()) {
    [saved, fileMark] = [value.text, value.mark];
    return keep();
  }
  say(`${DATA.name} was changed by another program or window. Your text is kept here.`, "", [["Keep mine", () => (fileMark = value.mark)], ["Take its text", reload]], "file");
  byId("banner-file").dataset.mark = value.mark;
}
function offer(name, content, kind) {
  const link = h("a", { href: URL.createObjectURL(new Blob([content], { type: kind })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
const download = () => offer(DATA.name, editor.value(), "text/plain");
async function share() {
  state("writing the file", "busy");
  const answer = await ask("share", wishNow(), { raw: true });
  if (!answer.ok) return say(`There is no file: ${answer.message}.`, "bad");
  const name = DATA.name.replace(/\.[^.]*$/, "") + ".html";
  offer(name, await answer.response.text(), "text/html");
  state(`${name} is one file, which opens without the explorer`);
}

// Keys and the border between the parts.
function parts(back) {
  const all = [byId("text"), byId("tabs").querySelector("[aria-selected=true]"), byId(`panel-${shown}`), ...(wide.matches ? [byId("panel-bundles")] : [])];
  const at = all.findIndex((part) => part === document.activeElement || part.contains(document.activeElement));
  const next = all[(at + (back ? all.length - 1 : 1) + (at < 0 ? (back ? 1 : 0) : 0)) % all.length];
  (next.querySelector?.("tr[tabindex='0'], [data-cycle][tabindex='0']") || next).focus();
}
let finding = -1;
document.addEventListener("keydown", (event) => {
  const control = event.ctrlKey || event.metaKey;
  const act = {
    F1: () => byId("keys").showModal(),
    F6: () => parts(event.shiftKey),
    F8: () => {
      const all = known.findings.filter((each) => each.range);
      if (!all.length) return;
      finding = (finding + (event.shiftKey ? all.length - 1 : 1)) % all.length;
      editor.go(all[finding].range[0], all[finding].range[1]);
      state(all[finding].message, all[finding].severity === "error" ? "bad" : "");
    },
  }[event.key];
  if (act && !control && !event.altKey) {
    event.preventDefault();
    act();
  } else if (control && event.key.toLowerCase() === "s") {
    event.preventDefault();
    if (!SHARED) save();
  } else if (control && event.key === "Enter") {
    event.preventDefault();
    if (document.activeElement !== byId("text")) {
      const line = document.activeElement.closest?.("[data-go], [data-line]")?.dataset;
      return line ? editor.go(Number(line.go || line.line)) : editor.focus();
    }
    select("bundles");
    const row = document.querySelector(`.panel[data-view=bundles] td[data-line="${editor.line()}"]`)?.parentElement;
    if (!row) return;
    for (const other of row.parentElement.children) if (other.tabIndex === 0) other.tabIndex = -1;
    row.tabIndex = 0;
    row.focus();
  }
});
function split(width) {
  const part = Math.max(20, Math.min(75, width));
  byId("panes").style.setProperty("--split", `${part}%`);
  byId("splitter").setAttribute("aria-valuenow", String(Math.round(part)));
}
byId("splitter").addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
  if (!by) return;
  event.preventDefault();
  split((100 * byId("source-pane").offsetWidth) / byId("panes").offsetWidth + by);
});
byId("splitter").addEventListener("pointerdown", (event) => {
  const bar = event.currentTarget;
  bar.setPointerCapture(event.pointerId);
  const move = (moved) => split((100 * (moved.clientX - byId("panes").offsetLeft)) / byId("panes").offsetWidth);
  bar.addEventListener("pointermove", move);
  bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", move), { once: true });
});

function begin() {
  byId("name").textContent = DATA.name;
  byId("name").title = DATA.path;
  byId("version").textContent = `cp2 ${DATA.version}`;
  byId("splitter").setAttribute("aria-valuenow", String(Math.round((100 * byId("source-pane").offsetWidth) / byId("panes").offsetWidth)));
  views();
  select("schedule");
  draw(...Object.keys(VIEWS));
  tiles();
  byId("save").addEventListener("click", () => save());
  byId("download").addEventListener("click", download);
  byId("share").addEventListener("click", share);
  byId("help").addEventListener("click", () => byId("keys").showModal());
  byId("findings-toggle").addEventListener("click", (event) => {
    const list = byId("findings");
    list.hidden = !list.hidden;
    event.currentTarget.setAttribute("aria-expanded", String(!list.hidden));
  });
  editor.take(DATA.wish.text);
  if (SHARED) {
    for (const id of ["save", "share"]) byId(id).hidden = true;
    for (const stage of SHARED) take(stage);
    state("one file, as it was shared; nothing is asked of an explorer");
    return;
  }
  byId("save").hidden = !DATA.can_save;
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(DATA.path));
  } catch {
    // What cannot be read is not there.
  }
  if (kept && kept.text !== DATA.wish.text) {
    editor.take(kept.text);
    if (kept.mark !== fileMark) fileMark = kept.mark;
    say("The text that was not saved when this page was left is here again.", "", [["Take the file's text", reload]], "kept");
  }
  keep();
  addEventListener("beforeunload", (event) => isDirty() && DATA.can_save && event.preventDefault());
  addEventListener("focus", () => watch());
  setInterval(watch, 3000);
  explore();
  // On a small screen a keyboard would cover the rest.
  if (matchMedia("(min-width: 881px)").matches) editor.focus();
}
begin();
