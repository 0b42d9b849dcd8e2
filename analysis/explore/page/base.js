"use strict";
// What all parts of the page use: elements, colours of lines, what is known of the text, and who is told when that changes.
const DATA = JSON.parse(document.getElementById("data").textContent);
const SHARED = DATA.shared;
const byId = (id) => document.getElementById(id);

/** An element with attributes and children; texts are never read as HTML, and styles are set one by one. */
function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "style") for (const [rule, text] of Object.entries(value)) element.style.setProperty(rule, text);
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(3)) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}
const fill = (element, ...children) => element.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
const number = (n) => (n === null || n === undefined ? "–" : Number(n).toLocaleString("en-US"));
const plural = (n, word) => `${number(n)} ${word}${Number(n) === 1 ? "" : "s"}`;
const percent = (part, all) => (all > 0 ? `${((100 * part) / all).toFixed(part === all ? 0 : 1)} %` : "–");

/** What is known of the text: the last answer of each stage. */
const known = { words: null, findings: [], cases: null, program: null, regions: [], core: [], run: null, arguments: null, runError: null, compared: [], promises: [], refused: null, assembled: false };
/** What the page asks for, beside the text. */
const wish = { on: { machine: "", enable: [], set: [], ...DATA.wish.on }, arguments: DATA.wish.arguments || [], try_enable: DATA.wish.try_enable || [], try_set: DATA.wish.try_set || [] };

const listeners = {};
const on = (event, listener) => (listeners[event] ||= []).push(listener);
const emit = (event, value) => (listeners[event] || []).forEach((listener) => listener(value));

/** Hues of the lines that became bundles: neighbours differ as much as they can. */
let hues = new Map();
function paintLines() {
  const lines = new Set();
  for (const kernel of known.program?.kernels || [])
    for (const bundle of kernel.bundles)
      for (const half of [bundle.arithmetic, bundle.exchange]) for (const line of half ? [half[1], ...half[2]] : []) if (typeof line === "number") lines.add(line);
  const ordered = [...lines].sort((a, b) => a - b);
  hues = new Map(ordered.map((line, k) => [line, Math.round((205 + k * 137.508) % 360)]));
}
/** Gives an element the colour of a line, and links it with everything else of that line. */
function linked(element, line) {
  if (typeof line !== "number") return element;
  element.dataset.line = line;
  if (hues.has(line)) {
    element.style.setProperty("--hue", hues.get(line));
    element.classList.add("lit");
  }
  return element;
}
/** Links an element with further lines, whose operations it does too. */
function also(element, lines) {
  if (lines?.length) element.dataset.also = lines.join(" ");
  return element;
}
const ofLine = (line) => `[data-line="${line}"], [data-also~="${line}"]`;
/** Marks everything of some lines. */
function mark(lines) {
  for (const old of document.querySelectorAll(".linked")) old.classList.remove("linked");
  for (const line of lines) for (const element of document.querySelectorAll(ofLine(line))) element.classList.add("linked");
}
document.addEventListener("pointerover", (event) => {
  const place = event.target.closest?.("[data-line]");
  mark(place ? [place.dataset.line] : caretLines());
});
const caretLines = () => (document.activeElement === byId("text") ? [editor.line()] : []);
/** A sentence whose words in backticks are code. */
const coded = (text) => String(text).split("`").map((part, k) => (k % 2 ? h("code", {}, part) : part));
/** A button that goes to a line of the source. */
const lineLink = (line, text) =>
  typeof line === "number"
    ? h("button", { type: "button", class: "line-link", onclick: () => editor.go(line), "data-line": line }, text ?? `line ${line}`)
    : h("span", { class: "mono" }, text ?? line ?? "");

/** Moves the one element of a group that Tab reaches, by arrows. */
function roving(group, selector, columns) {
  const all = () => [...group.querySelectorAll(selector)];
  const first = all();
  if (!first.some((element) => element.tabIndex === 0) && first[0]) first[0].tabIndex = 0;
  group.addEventListener("keydown", (event) => {
    const elements = all();
    const at = elements.indexOf(event.target.closest(selector));
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const width = columns();
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + width, ArrowUp: at - width, Home: 0, End: elements.length - 1, PageDown: at + 12 * width, PageUp: at - 12 * width }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = elements[Math.max(0, Math.min(elements.length - 1, to))];
    for (const element of elements) element.tabIndex = element === next ? 0 : -1;
    next.focus();
  });
}
