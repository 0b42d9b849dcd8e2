// The source: a text of the browser over the same text in colours, line by line; only lines that change are drawn anew.
const editor = (() => {
  const box = byId("editor"), text = byId("text"), paint = byId("paint"), gutter = byId("gutter");
  let lines = [], drawn = [], words = new Map(), marks = new Map(), ending = "\n";
  const LINE = () => parseFloat(getComputedStyle(box).lineHeight);
  text.readOnly = Boolean(SHARED);

  /** The line of the caret, from 1. */
  const line = () => text.value.slice(0, text.selectionStart).split("\n").length;
  const begin = (wanted) => lines.slice(0, wanted - 1).reduce((sum, each) => sum + each.length + 1, 0);

  function draw(row, content) {
    const found = words.get(content) || [];
    const flaws = marks.get(row + 1) || [];
    const cuts = new Set([0, content.length]);
    for (const [from, length] of found) cuts.add(from).add(from + length);
    for (const flaw of flaws) cuts.add(flaw.from).add(flaw.to);
    const places = [...cuts].filter((at) => at <= content.length).sort((a, b) => a - b);
    const parts = [];
    for (let k = 0; k + 1 < places.length; k++) {
      const [from, to] = [places[k], places[k + 1]];
      const word = found.find(([at, length]) => at <= from && to <= at + length);
      const flaw = flaws.find((each) => each.from <= from && to <= each.to);
      const kinds = [word && `k${word[2]}`, flaw && `squiggle-${flaw.severity}`].filter(Boolean).join(" ");
      const piece = content.slice(from, to);
      parts.push(kinds ? h("span", { class: kinds }, piece) : piece);
    }
    return parts;
  }

  /** Brings the colours to the text as it is. */
  function render() {
    lines = text.value.split("\n");
    while (paint.children.length > lines.length) {
      paint.lastChild.remove();
      gutter.lastChild.remove();
    }
    const here = line();
    for (let row = 0; row < lines.length; row++) {
      if (row >= paint.children.length) {
        paint.append(h("div"));
        gutter.append(h("div", {}, String(row + 1)));
        drawn[row] = undefined;
      }
      const key = `${lines[row]}\u0000${JSON.stringify(words.get(lines[row]) || 0)}${JSON.stringify(marks.get(row + 1) || 0)}`;
      const element = paint.children[row], label = gutter.children[row];
      if (drawn[row] !== key) {
        fill(element, draw(row, lines[row]));
        drawn[row] = key;
      }
      const hue = hues.get(row + 1);
      element.dataset.line = row + 1;
      element.className = hue === undefined ? "" : "lit";
      if (hue === undefined) element.style.removeProperty("--hue");
      else element.style.setProperty("--hue", hue);
      const flaw = marks.get(row + 1)?.[0]?.severity;
      label.className = flaw || (hue === undefined ? "" : "hot");
      if (hue !== undefined) label.style.setProperty("--hue", hue);
      const cost = known.run?.lines?.[row + 1];
      label.title = cost ? `${plural(cost[0], "cycle")}, ${(100 * cost[2]).toFixed(1)} %` : "";
      if (row + 1 === here) {
        element.classList.add("here");
        label.classList.add("here");
      }
    }
    drawn.length = lines.length;
  }

  let last = 0;
  function moved() {
    const here = line();
    const column = text.selectionStart - text.value.lastIndexOf("\n", text.selectionStart - 1);
    byId("caret").textContent = `line ${here}, column ${column}`;
    if (here === last) return;
    for (const side of [paint, gutter]) {
      side.querySelector(".here")?.classList.remove("here");
      side.children[here - 1]?.classList.add("here");
    }
    last = here;
    mark([here]);
    emit("caret", here);
  }

  text.addEventListener("input", () => {
    render();
    moved();
    emit("typed");
  });
  for (const event of ["keyup", "click", "focus"]) text.addEventListener(event, moved);
  document.addEventListener("selectionchange", () => document.activeElement === text && moved());
  text.addEventListener("keydown", (event) => {
    // A new line begins where the one above does; the browser keeps it in its history of changes.
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.shiftKey && !text.readOnly) {
      const before = text.value.slice(text.value.lastIndexOf("\n", text.selectionStart - 1) + 1, text.selectionStart);
      const indent = before.match(/^[ \t]*/)[0];
      if (indent && document.execCommand("insertText", false, `\n${indent}`)) event.preventDefault();
    }
  });
  on("words", () => {
    words = new Map();
    text.value.split("\n").forEach((content, row) => known.words?.[row] && words.set(content, known.words[row]));
    render();
  });
  on("findings", () => {
    marks = new Map();
    for (const finding of known.findings) {
      if (!finding.range) continue;
      const [first, from, end, to] = finding.range;
      for (let row = first; row <= Math.min(end, first + 20); row++) {
        const flaw = { severity: finding.severity, from: row === first ? from : 0, to: row === end ? Math.max(to, from + 1) : Infinity };
        flaw.to = Math.min(flaw.to, (lines[row - 1] || "").length);
        marks.set(row, [...(marks.get(row) || []), flaw]);
      }
    }
    render();
  });
  on("run", render);

  return {
    line,
    render,
    /** The text, with the ends of lines that its file has; a browser knows but one. */
    value: () => (ending === "\n" ? text.value : text.value.replaceAll("\n", ending)),
    /** Takes another text; what the browser keeps of changes begins anew. */
    take(content) {
      const at = text.selectionStart;
      ending = content.includes("\r\n") ? "\r\n" : "\n";
      text.value = content;
      text.setSelectionRange(Math.min(at, content.length), Math.min(at, content.length));
      render();
      moved();
    },
    focus: () => text.focus(),
    /** Puts the caret at a line, and the line into sight. */
    go(wanted, column = 0) {
      const at = begin(wanted) + Math.min(column, (lines[wanted - 1] || "").length);
      text.focus({ preventScroll: true });
      text.setSelectionRange(at, at);
      const top = (wanted - 1) * LINE();
      if (top < box.scrollTop + 20 || top > box.scrollTop + box.clientHeight - 60) box.scrollTop = Math.max(0, top - box.clientHeight / 3);
      if (matchMedia("(max-width: 880px)").matches) box.scrollIntoView({ block: "nearest" });
      moved();
    },
  };
})();
