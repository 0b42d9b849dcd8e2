// The machine of the run, and other machines beside it.
function machineView() {
  const fixed = Boolean(SHARED);
  const change = (act) => {
    act();
    emit("wish");
  };
  const names = ["", ...DATA.machines];
  const select = h("select", { id: "machine", disabled: fixed, onchange: (event) => change(() => (wish.on.machine = event.target.value)) }, names.map((name) => h("option", { value: name, selected: name === wish.on.machine }, name || "CP2 alone")));
  const chips = [
    ...wish.on.enable.map((text) => [text, () => (wish.on.enable = wish.on.enable.filter((other) => other !== text))]),
    ...wish.on.set.map((text) => [text, () => (wish.on.set = wish.on.set.filter((other) => other !== text))]),
  ].map(([text, remove]) => h("button", { type: "button", disabled: fixed, title: "Take it back", "aria-label": `${text}: take it back`, onclick: () => change(remove) }, h("code", {}, text), " ×"));
  const machine = h(
    "article",
    { class: "card machine" },
    h("h3", {}, "Machine", h("small", {}, known.core.length ? known.core.join("; ") : "the core of CP2, unchanged")),
    h("div", { class: "tools" }, h("label", {}, "on", select), chips.length ? h("div", { class: "chips", role: "group", "aria-label": "Changes of the machine" }, chips) : null),
    known.refused ? h("p", { class: "worse" }, known.refused) : null,
  );

  const extensions = DATA.extensions.map((extension) => {
    const text = extension.size ? `${extension.name}=${extension.size}` : extension.name;
    const box = h("input", { type: "checkbox", disabled: fixed, onchange: (event) => change(() => (wish.try_enable = event.target.checked ? [...wish.try_enable, text] : wish.try_enable.filter((other) => other !== text))) });
    box.checked = wish.try_enable.includes(text);
    return h("label", {}, box, h("span", {}, h("code", {}, text), h("small", {}, extension.summary)));
  });
  const key = h("select", { "aria-label": "Number of the core" }, DATA.keys.map((each) => h("option", { value: each.name }, each.name)));
  const about = h("small", { class: "quiet" });
  const value = h("input", { class: "short", "aria-label": "Value", inputmode: "numeric" });
  const describe = () => {
    const found = DATA.keys.find((each) => each.name === key.value);
    about.textContent = `${found.text}; ${found.takes}; CP2 has ${found.value}`;
    value.placeholder = String(found.value);
  };
  key.addEventListener("change", describe);
  if (DATA.keys.some((each) => each.name === "core.load_latency")) key.value = "core.load_latency";
  describe();
  const add = () => value.value.trim() && change(() => (wish.try_set = [...wish.try_set.filter((text) => !text.startsWith(`${key.value}=`)), `${key.value}=${value.value.trim()}`]));
  value.addEventListener("keydown", (event) => event.key === "Enter" && add());
  const sets = wish.try_set.map((text) => h("button", { type: "button", disabled: fixed, "aria-label": `${text}: leave it out`, onclick: () => change(() => (wish.try_set = wish.try_set.filter((other) => other !== text))) }, h("code", {}, text), " ×"));
  const compare = h(
    "article",
    { class: "card machine" },
    h("h3", {}, "What if", h("small", {}, "each change alone, and all together")),
    fixed ? null : h("fieldset", { style: { border: "0", padding: "0", margin: "0", "min-width": "0" } }, h("legend", { class: "unseen" }, "Extensions"), h("div", { class: "options" }, extensions)),
    fixed ? null : h("div", { class: "tools" }, key, h("span", {}, "="), value, h("button", { type: "button", onclick: add }, "Add")),
    fixed ? null : about,
    sets.length ? h("div", { class: "chips", role: "group", "aria-label": "Numbers that are tried" }, sets) : null,
    comparison(change, fixed),
  );
  return [machine, compare];
}

/** The machines that were compared, each with what differs from the first. */
function comparison(change, fixed) {
  const wanted = wish.try_enable.length + wish.try_set.length;
  const rows = known.compared.filter(Boolean);
  if (!wanted) return h("p", { class: "quiet" }, "Choose extensions or numbers above: the text is assembled, scheduled and run for each.");
  if (!rows.length) return h("p", { class: "quiet", "aria-busy": "true" }, known.runError || !known.assembled ? "The text does not run yet." : "Under way.");
  const base = rows[0];
  const differs = (value, of) => (value === of || of === undefined ? "" : value < of ? "better" : "worse");
  const lines = rows.map((row, k) => {
    const name = h("th", { scope: "row", style: { position: "static" } }, h("code", {}, row.name));
    if (row.error) return h("tr", {}, name, h("td", { colspan: 5, style: { "white-space": "normal" } }, row.error));
    const by = row.cycles - base.cycles;
    const ratio = k === 0 || !base.cycles ? "" : by === 0 ? "no change" : `${by > 0 ? "+" : "−"}${number(Math.abs(by))} (${by > 0 ? "+" : "−"}${((100 * Math.abs(by)) / base.cycles).toFixed(1)} %)`;
    const use = fixed || k === 0 || row.name === "all together" ? null : h("button", { type: "button", class: "line-link", onclick: () => change(() => {
      const list = row.name.includes(".") ? ["try_set", "set"] : ["try_enable", "enable"];
      wish[list[0]] = wish[list[0]].filter((text) => text !== row.name);
      wish.on[list[1]] = [...wish.on[list[1]], row.name];
    }) }, "use it");
    return h("tr", {}, name, h("td", { class: "num" }, number(row.cycles), row.is_right ? "" : " *"), h("td", { class: `num ${differs(row.cycles, base.cycles)}` }, ratio), h("td", { class: "num" }, row.intervals.join(", ") || "–"), h("td", { class: "num" }, `${number(row.bundles)} / ${number(row.registers)}`), h("td", {}, use));
  });
  const head = ["machine", "cycles", "difference", "intervals", "bundles / registers", ""].map((name, k) => h("th", { scope: "col", class: k > 0 && k < 5 ? "num" : null }, name));
  const wrong = rows.find((row) => row.is_right === false);
  return [h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Machines compared" }, h("table", { class: "grid" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, lines))), wrong ? h("p", { class: "quiet" }, `* ${wrong.end}`) : null];
}
