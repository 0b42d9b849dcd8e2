"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const last = data.steps.length;
// Values of each variable with the step from which they hold.
const history = data.variables.map((variable) => [[0, variable.first]]);
data.steps.forEach(([, , , changes, , begun], at) => begun.concat(changes).forEach(([slot, value]) => history[slot].push([at + 1, value])));

function entry(slot, step) {
  const all = history[slot];
  let low = 0, high = all.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (all[middle][0] <= step) low = middle; else high = middle - 1;
  }
  return low;
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function build() {
  data.variables.forEach((variable, slot) => {
    if (!variable.shown) return;
    if (variable.shape === "number") {
      const box = document.createElement("div");
      box.className = "number";
      const name = document.createElement("span");
      name.textContent = variable.name;
      box.append(name, document.createElement("b"));
      $("numbers").append(box);
      variable.box = box;
      return;
    }
    const figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    caption.textContent = variable.name + " ";
    const type = document.createElement("span");
    type.textContent = variable.type;
    caption.append(type);
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    figure.append(caption, canvas);
    $(variable.shape === "word" ? "words" : "tables").append(figure);
    Object.assign(variable, { box: figure, canvas, slot });
  });
  $("about").textContent = `${data.rows} rows, weights of ${data.bits} bits, ${last} steps` + (data.cut ? ": the first ones of the run" : "");
  $("step").max = last;
}

// Rows of bits of a value: a slice stands upright beside the tables, a word lies.
function rowsOf(variable, value) {
  if (value === null || value === undefined) return [];
  if (variable.shape === "table") return value;
  return variable.shape === "slice" ? [...value] : [value];
}

function draw(variable, value, before) {
  const rows = rowsOf(variable, value), old = before === null ? rows : rowsOf(variable, before);
  const columns = rows.length ? rows[0].length : 0;
  const size = Math.max(4, Math.min(16, Math.floor(720 / Math.max(rows.length, 1)), Math.floor(1400 / Math.max(columns, 1))));
  const gap = (column) => variable.band > 0 && columns > variable.band ? Math.floor(column / variable.band) * 3 : 0;
  const isUpright = variable.shape !== "word", isLabelled = isUpright && size >= 9;
  const left = isLabelled ? 22 : 0, hasNumber = variable.shape === "table" && columns === data.bits && size >= 9;
  const wide = left + columns * size + gap(columns - 1) + (hasNumber ? 60 : 2), high = rows.length * size + 2;
  const scale = window.devicePixelRatio || 1, canvas = variable.canvas;
  canvas.width = wide * scale; canvas.height = high * scale;
  canvas.style.width = wide + "px"; canvas.style.height = high + "px";
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.font = "11px ui-monospace, Menlo, monospace";
  pen.textBaseline = "middle";
  const one = colour("--one"), zero = colour("--zero"), mark = colour("--mark"), dim = colour("--dim"), text = colour("--text");
  rows.forEach((row, at) => {
    const y = at * size + 1;
    if (isLabelled) { pen.fillStyle = dim; pen.textAlign = "right"; pen.fillText(at + 1, left - 5, y + size / 2); }
    for (let column = 0; column < columns; column++) {
      const x = left + column * size + gap(column);
      pen.fillStyle = row[column] === "1" ? one : zero;
      pen.fillRect(x, y, size - 1, size - 1);
      if (old[at] !== undefined && old[at][column] !== row[column]) {
        pen.strokeStyle = mark; pen.lineWidth = 2; pen.strokeRect(x + 0.5, y + 0.5, size - 2, size - 2);
      }
    }
    if (hasNumber) {
      const shown = row.includes("0") ? BigInt("0b" + row).toString() : "\u221e";
      pen.fillStyle = text; pen.textAlign = "left"; pen.fillText(shown, left + columns * size + 8, y + size / 2);
    }
  });
  canvas.setAttribute("aria-label", variable.name + " " + (Array.isArray(value) ? value.join(" ") : value));
}

let shown = -1;
function show(step) {
  step = Math.max(0, Math.min(last, step));
  const now = step > 0 ? data.steps[step - 1] : null;
  const changed = new Set(now ? now[3].map(([slot]) => slot) : []);
  data.variables.forEach((variable, slot) => {
    if (!variable.box) return;
    const at = entry(slot, step), value = history[slot][at][1], isChanged = changed.has(slot);
    variable.box.classList.toggle("changed", isChanged);
    if (variable.shape === "number") { variable.box.lastChild.textContent = value; return; }
    const key = at + (isChanged ? "!" : "");
    if (variable.key === key) return;
    variable.key = key;
    draw(variable, value, isChanged && at > 0 ? history[slot][at - 1][1] : null);
  });
  const pre = $("text");
  pre.textContent = now ? data.text.slice(0, now[0]) : data.text;
  if (now) {
    const mark = document.createElement("mark");
    mark.textContent = data.text.slice(now[0], now[1]);
    mark.className = now[2] === false ? "no" : "";
    pre.append(mark, data.text.slice(now[1]));
    if (shown !== step) mark.scrollIntoView({ block: "nearest" });
  }
  const counts = now ? now[4] : [0, 0];
  $("number").textContent = `step ${step} of ${last} \u00b7 ${counts[0]} operations, ${counts[1]} over all rows`;
  $("step").value = step;
  shown = step;
}

let timer = null;
function stop() { clearInterval(timer); timer = null; $("play").textContent = "Play"; }
function play() {
  if (timer) return stop();
  if (shown >= last) show(0);
  $("play").textContent = "Stop";
  timer = setInterval(() => { if (shown >= last) stop(); else show(shown + 1); }, 350);
}

build();
$("back").onclick = () => { stop(); show(shown - 1); };
$("next").onclick = () => { stop(); show(shown + 1); };
$("play").onclick = play;
$("step").oninput = () => { stop(); show(Number($("step").value)); };
document.addEventListener("keydown", (event) => {
  const moves = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -last, End: last };
  if (!(event.key in moves) || event.target === $("step")) return;
  event.preventDefault(); stop(); show(shown + moves[event.key]);
});
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  data.variables.forEach((variable) => { variable.key = null; }); show(shown);
});
show(0);
