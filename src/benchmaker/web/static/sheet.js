// A sheet of cases: arrows, Enter, undo, rows without a reload, cells pasted from a spreadsheet.
const form = document.querySelector("form.sheetform"), body = form.querySelector("tbody");
const CELL = "td > input[type=text], td > textarea", STOP = `${CELL}, td input[type=checkbox], td button`;
const said = document.querySelector("#sheetsaid"), undoButton = document.querySelector("#undo"), redoButton = document.querySelector("#redo");
const done = [], undone = [];
let made = 0;

const say = (text) => { said.textContent = text; };
const rowOf = (it) => it.closest("tr"), rows = () => [...body.rows];
const columnOf = (it) => it.closest("td").cellIndex;
const stopAt = (row, column) => row?.cells[column]?.querySelector(STOP);
const go = (it) => { if (it) { it.focus(); it.select?.(); it.scrollIntoView({ block: "nearest", inline: "nearest" }); } return Boolean(it); };

// Undo: each step knows how to go back and forth.
const show = () => { undoButton.disabled = !done.length; redoButton.disabled = !undone.length; };
const record = (step) => { done.push(step); undone.length = 0; show(); };
const travel = (from, to, way, word) => {
  const step = from.pop();
  if (step) { step[way](); to.push(step); say(word); }
  show();
};
const undo = () => travel(done, undone, "back", "Undone."), redo = () => travel(undone, done, "forth", "Done again.");
const setCell = (it, text) => { it.value = text; it.dataset.was = text; };

// Tab selects the whole cell: browsers do it for a line of text, but not for several lines.
let isTabbing = false;
document.addEventListener("keydown", (e) => { isTabbing = e.key === "Tab"; }, { capture: true });
document.addEventListener("keyup", () => { isTabbing = false; });
body.addEventListener("focusin", ({ target: it }) => {
  if (!it.matches(CELL)) return;
  it.dataset.was = it.value;
  if (isTabbing) it.select();
});
body.addEventListener("change", (e) => {
  const it = e.target;
  if (it.matches("[name=drop]")) {
    const { checked } = it;
    record({ back: () => { it.checked = !checked; }, forth: () => { it.checked = checked; } });
  } else if (it.matches(CELL)) {
    const before = it.dataset.was ?? it.defaultValue, after = it.value;
    it.dataset.was = after;
    record({ back: () => { setCell(it, before); go(it); }, forth: () => { setCell(it, after); go(it); } });
  }
});

// Rows: a new one has a key and ids of its own.
const named = (row) => {
  const number = `x${++made}`, key = `j${made}`;
  const label = row.querySelector("th span");
  label.id = `r${number}`;
  label.textContent = "new";
  row.querySelector("[name=key]").value = key;
  for (const it of row.querySelectorAll("[name=drop], [name=duplicate]")) it.value = key;
  for (const it of row.querySelectorAll(".said-wrong, td > a, .ops a")) it.remove();
  for (const it of row.querySelectorAll("td *")) {
    it.removeAttribute("aria-invalid");
    const by = it.getAttribute("aria-labelledby");
    if (by) { it.setAttribute("aria-labelledby", `${by.split(" ")[0]} r${number}`); it.removeAttribute("aria-describedby"); }
    else if (it.matches("button")) it.setAttribute("aria-describedby", `r${number}`);
  }
  return row;
};
const insert = (row, after) => {
  const place = () => after.after(row);
  place();
  record({ back: () => row.remove(), forth: place });
};
const blankRow = () => named(document.querySelector("#blank-row").content.querySelector("tr").cloneNode(true));
const addRow = () => { const row = blankRow(); insert(row, body.lastElementChild); say("Row added."); go(row.querySelector(CELL)); };
const freeId = (id) => {
  const taken = new Set(rows().map((row) => row.querySelector("[name=c0]").value));
  let number = 2;
  while (taken.has(`${id}-${number}`)) number += 1;
  return `${id}-${number}`;
};
const duplicate = (row) => {
  const copy = named(row.cloneNode(true)), texts = [...row.querySelectorAll(CELL)].map((it) => it.value);
  copy.querySelectorAll(CELL).forEach((it, at) => { it.value = texts[at]; });
  copy.querySelector("[name=drop]").checked = false;
  copy.querySelector("[name=c0]").value = freeId(row.querySelector("[name=c0]").value || "case");
  insert(copy, row);
  say("Row duplicated.");
  go(copy.querySelector(CELL));
};
form.addEventListener("click", (e) => {
  const button = e.target.closest("button");
  if (button?.name === "duplicate") { e.preventDefault(); duplicate(rowOf(button)); }
  if (button?.name === "add") { e.preventDefault(); addRow(); }
  if (button === undoButton) undo();
  if (button === redoButton) redo();
});

// Keys: a cell that is selected as a whole is moved out of by arrows, one that is edited is not.
const isWhole = (it) => !it.matches(CELL) || (it.selectionStart === 0 && it.selectionEnd === it.value.length);
const move = (it, down, right) => {
  const row = rows()[rows().indexOf(rowOf(it)) + down];
  let column = columnOf(it) + right;
  const width = rowOf(it).cells.length;
  while (right && column > 0 && column < width && !stopAt(rowOf(it), column)) column += right;
  return column > 0 && column < width ? go(stopAt(row, column)) : false;
};
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
body.addEventListener("keydown", (e) => {
  const it = e.target, bare = !(e.ctrlKey || e.metaKey || e.altKey || e.isComposing);
  if (!it.matches(STOP)) return;
  if (ARROWS[e.key] && bare && !e.shiftKey && isWhole(it)) { if (move(it, ...ARROWS[e.key])) e.preventDefault(); return; }
  if (!it.matches(CELL)) return;
  if (e.key === "Enter" && bare && !(e.shiftKey && it.matches("textarea"))) {
    e.preventDefault();
    if (!move(it, 1, 0) && it.value) { const column = columnOf(it), row = blankRow(); insert(row, body.lastElementChild); go(stopAt(row, column)); }
  }
  if (e.key === "F2") { e.preventDefault(); it.setSelectionRange(it.value.length, it.value.length); }
});
form.addEventListener("keydown", (e) => {
  if (!(e.ctrlKey || e.metaKey) || e.altKey) return;
  const it = document.activeElement, key = e.key.toLowerCase();
  const isTyping = it.matches(CELL) && it.value !== it.dataset.was;
  if (isTyping) return;
  if (key === "z" && !e.shiftKey) { e.preventDefault(); undo(); }
  if (key === "y" || (key === "z" && e.shiftKey)) { e.preventDefault(); redo(); }
});

// Ctrl S saves wherever the focus is.
document.addEventListener("keydown", (e) => {
  if (!(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey || e.key.toLowerCase() !== "s") return;
  e.preventDefault();
  document.activeElement.blur();
  form.requestSubmit(form.querySelector(".savebar .primary"));
});

// Cells from a spreadsheet: those that hold tabs, lines or doubled quotes are quoted, no others.
const CELLS = /(?:"((?:[^"]|"")*)"(?=[\t\n]|$)|([^\t\n]*))(\t|\n|$)/y;
const rowAt = (text, at) => {
  const cells = [];
  CELLS.lastIndex = at;
  for (;;) {
    const [, quoted, plain, end] = CELLS.exec(text);
    const isQuoted = quoted !== undefined && /[\t\n]|""/.test(quoted);
    cells.push(isQuoted ? quoted.replaceAll('""', '"') : plain ?? `"${quoted}"`);
    if (end !== "\t") return { cells, end: end ? CELLS.lastIndex : text.length + 1 };
  }
};
const table = (text) => {
  const all = text.replace(/\r\n?/g, "\n").replace(/\n$/, ""), found = [];
  for (let at = 0; at <= all.length;) {
    let row = rowAt(all, at);
    const lines = all.slice(at, row.end).replace(/\n$/, "").split("\n"), [first] = lines;
    const known = found[0]?.length, width = known ?? first.split("\t").length;
    const isIndented = lines.some((line, k) => k && line.startsWith("\t"));
    const areRows = lines.length > 1 && !isIndented && lines.every((line) => line.split("\t").length === width);
    if (areRows || (known && row.cells.length !== width)) { // a quote closes by chance in another cell
      const cells = [rowAt(first, 0).cells, first.split("\t")].find((one) => one.length === width);
      if (cells) row = { cells, end: at + first.length + 1 };
    }
    found.push(row.cells);
    at = row.end;
  }
  return found;
};
body.addEventListener("paste", (e) => {
  const text = e.clipboardData.getData("text/plain"), it = e.target;
  if (!it.matches(CELL) || !text.includes("\t")) return;
  e.preventDefault();
  const first = columnOf(it), start = rows().indexOf(rowOf(it)), added = [], changed = [];
  for (const [at, cells] of table(text).entries()) {
    let row = rows()[start + at];
    if (!row) { row = blankRow(); body.append(row); added.push(row); }
    for (const [k, value] of cells.entries()) {
      const cell = row.cells[first + k]?.querySelector(CELL);
      if (cell) { changed.push([cell, cell.value, value]); setCell(cell, value); }
    }
  }
  record({
    back: () => { for (const [cell, before] of changed) setCell(cell, before); for (const row of added) row.remove(); },
    forth: () => { body.append(...added); for (const [cell, , after] of changed) setCell(cell, after); },
  });
  say(`${changed.length} cells pasted.`);
});

// The form is sent once the server has answered, so that a lost connection loses no edit.
let isAsking = false, isAnswered = false;
form.addEventListener("submit", async (e) => {
  if (isAnswered) { isAnswered = false; return; }
  e.preventDefault();
  e.stopImmediatePropagation();
  if (isAsking) return;
  isAsking = true;
  const { submitter } = e;
  try {
    await fetch("/keys", { cache: "no-store" });
    isAnswered = true;
  } catch { say("Not saved: the server does not answer. Your changes are kept on this page. Save again."); }
  isAsking = false;
  if (isAnswered) form.requestSubmit(submitter);
}, { capture: true });
