// Grids by arrow keys, with one stop of Tab each; links that copy an address. All work without script.
const grids = document.querySelectorAll("table[data-grid]");
const linkOf = (cell) => cell?.querySelector("a");

const rowsOf = (grid) => [...grid.querySelectorAll("tbody tr")].map((row) => [...row.cells]);
const enter = (link, grid) => {
  grid.querySelectorAll("tbody a").forEach((a) => { a.tabIndex = a === link ? 0 : -1; });
  link.focus();
};
const nearest = (cells, column) => {
  const order = cells.map((_, at) => at).sort((a, b) => Math.abs(a - column) - Math.abs(b - column));
  return order.map((at) => linkOf(cells[at])).find(Boolean);
};
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const ENDS = { Home: 1, End: -1 };
const atEnd = (cells, end) => (end > 0 ? cells : [...cells].reverse()).map(linkOf).find(Boolean);

for (const grid of grids) {
  const links = [...grid.querySelectorAll("tbody a")];
  links.forEach((a, at) => { a.tabIndex = at ? -1 : 0; });
  grid.addEventListener("keydown", (e) => {
    const step = STEPS[e.key], end = ENDS[e.key], cell = e.target.closest("td, tbody th");
    if (!(step || end) || !cell || e.metaKey || e.altKey || (e.ctrlKey && !end)) return;
    const rows = rowsOf(grid), row = rows.findIndex((cells) => cells.includes(cell)), column = rows[row].indexOf(cell);
    let link = null;
    if (end) link = atEnd(e.ctrlKey ? rows.flat() : rows[row], end);
    else if (step[0]) link = nearest(rows[row + step[0]] ?? [], column);
    else for (let at = column + step[1]; rows[row][at] && !link; at += step[1]) link = linkOf(rows[row][at]);
    e.preventDefault();
    if (link) enter(link, grid);
  });
}
if (grids.length) {
  document.addEventListener("keydown", (e) => {
    if (!STEPS[e.key] || document.activeElement !== document.body || document.documentElement.dataset.keys === "off") return;
    const first = grids[0].querySelector("tbody a");
    if (first) { e.preventDefault(); enter(first, grids[0]); }
  });
}

for (const link of document.querySelectorAll("a[data-copy]")) {
  if (!navigator.clipboard) continue;
  link.addEventListener("click", async (e) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    await navigator.clipboard.writeText(link.href);
    document.querySelector("#copied").textContent = "Link copied";
  });
}

// Columns of a page that stand side by side: m goes to the next one, e explains the one with the focus.
const columns = [...document.querySelectorAll("[data-column]")];
if (columns.length) {
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input, select, textarea") || document.documentElement.dataset.keys === "off") return;
    const here = columns.findIndex((it) => it.contains(document.activeElement));
    if (e.key === "m") columns[(here + 1) % columns.length].focus();
    if (e.key === "e") columns[Math.max(here, 0)].querySelector("summary")?.click();
  });
}
