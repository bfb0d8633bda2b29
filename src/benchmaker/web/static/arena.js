// Keys of the Arena, and what the live page says when it is not live.
const click = (q) => { const it = document.querySelector(q); it?.click(); return it; };

document.addEventListener("keydown", (e) => {
  if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && click("#run")) e.preventDefault();
});

// A name that is being typed is not chosen: only Add, Test and a run take it.
document.body.addEventListener("htmx:configRequest", (e) => {
  const { elt, parameters } = e.detail;
  if (document.activeElement?.id === "byname" && !["add", "test"].includes(elt.id)) delete parameters.add;
});

const grid = () => [...document.querySelectorAll("table.live tbody tr")].map((row) => [...row.querySelectorAll("a.cell")]);
const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
document.addEventListener("keydown", (e) => {
  const step = steps[e.key], here = document.activeElement;
  if (!step || !here?.matches?.("table.live a.cell")) return;
  const rows = grid(), y = rows.findIndex((row) => row.includes(here)), x = rows[y].indexOf(here);
  const next = rows[y + step[0]]?.[x + step[1]];
  if (next) { e.preventDefault(); next.focus(); }
});

const stale = document.querySelector("#stale"), said = document.querySelector("#said");
if (stale) {
  const time = () => new Date().toLocaleTimeString("en-GB");
  let heard = Date.now(), since = time(), spoken = 0, step, over = false;
  const lost = () => {
    if (over || !stale.hidden) return;
    const at = stale.querySelector("time");
    at.textContent = since; at.parentElement.hidden = false;
    stale.hidden = false;
  };
  const live = () => { heard = Date.now(); since = time(); stale.hidden = true; };
  // Counts are read out at each tenth of the trials and at the first failure, at most every 10 s.
  const speak = () => {
    const now = document.querySelector("#spoken"), next = now?.dataset.step ?? now?.textContent;
    if (!now || (next === step && !over) || now.textContent === said.textContent || Date.now() - spoken < 10000) return;
    said.textContent = now.textContent; spoken = Date.now(); step = next;
  };
  document.body.addEventListener("htmx:sseOpen", live);
  document.body.addEventListener("htmx:sseMessage", () => { live(); speak(); });
  document.body.addEventListener("htmx:sseError", () => lost());
  document.body.addEventListener("htmx:sseClose", (e) => { if (e.detail.type === "message") { over = true; spoken = 0; speak(); } });
  setInterval(() => { if (document.querySelector("[sse-connect]") && Date.now() - heard > 25000) lost(); }, 1000);
}
// The limits stay as they are while one of their fields is focused or changed; the list of models stays open.
const isEdited = (it) => it === document.activeElement || it.value !== it.defaultValue || it.validity.badInput;
document.body.addEventListener("htmx:oobBeforeSwap", (e) => {
  const { target, fragment } = e.detail, fresh = fragment.querySelector("#control"), limits = target.querySelector(".limits");
  if (target.querySelector("#models")?.open) fresh?.querySelector("#models")?.setAttribute("open", "");
  if (!limits || !fresh?.querySelector(".limits") || ![...limits.querySelectorAll("input")].some(isEdited)) return;
  e.detail.shouldSwap = false;
  for (const it of [...target.children]) if (it !== limits) it.remove();
  target.append(...[...fresh.children].filter((it) => !it.matches(".limits")));
});
document.body.addEventListener("htmx:afterSwap", (e) => {
  if (e.target.id !== "chosen") return;
  for (const it of document.querySelectorAll("a.cell[aria-current]")) it.removeAttribute("aria-current");
  const chosen = document.querySelector("#chosen");
  document.getElementById(chosen?.dataset.cell)?.setAttribute("aria-current", "true");
  chosen?.scrollIntoView({ block: "nearest" });
});
// A model that was checked in the list of found ones moves into the matrix, and takes the focus along.
let moved = "";
document.addEventListener("change", (e) => { if (e.target.closest?.("#found")) moved = e.target.value; });
document.body.addEventListener("htmx:afterSettle", () => {
  if (!moved) return;
  const there = document.querySelector(`#picked input[name=models][value="${CSS.escape(moved)}"]`);
  if (there && document.activeElement === document.body) there.focus();
  if (there) moved = "";
});
