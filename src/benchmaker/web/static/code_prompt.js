// The form for a page: names become choices, a bundled prompt fills the field.
const field = document.querySelector("#models"), prompt_ = document.querySelector("#prompt");

// The keys that wait for the list of what is typed: no key acts on the list of an earlier text.
let waiting = [];
field?.addEventListener("input", () => { waiting = []; });
const names = () => [...document.querySelectorAll("#choice .found input")];
const isCurrent = () => {
  const { typed, rest } = document.querySelector("#choice").dataset;
  return [typed, rest].some((text) => text.trim() === field.value.trim());
};

// A comma or Enter ends a name; what was understood leaves the field.
field?.addEventListener("keydown", (e) => {
  if (e.key !== "Enter" || waiting.length || !field.value.trim()) return;
  e.preventDefault();
  if (!field.value.trim().endsWith(",")) field.value += ",";
  field.dispatchEvent(new Event("input", { bubbles: true }));
});

// The arrow keys move through the names that were found; Enter chooses one, for the next to be typed.
const steps = { ArrowDown: 1, ArrowUp: -1 };
const choose = (it) => { field.value = ""; it.click(); field.focus(); };
const act = (key) => {
  const found = names(), at = found.indexOf(document.activeElement), next = at + steps[key];
  if (key === "Enter") { if (at >= 0) choose(found[at]); }
  else (found[next] ?? (next < 0 ? field : null))?.focus();
};
field?.closest("form")?.addEventListener("keydown", (e) => {
  const isStart = e.target === field && (e.key === "ArrowDown" || waiting.length);
  if (!(e.key in steps || e.key === "Enter") || !(isStart || names().includes(e.target))) return;
  e.preventDefault();
  if (waiting.length || !isCurrent()) waiting.push(e.key);
  else act(e.key);
});

let moved = "";
const hold = (it) => { if (it?.closest?.("#choice")) moved = it.value; };
document.addEventListener("change", (e) => hold(e.target));
document.body.addEventListener("htmx:beforeSwap", () => hold(document.activeElement));
document.body.addEventListener("htmx:afterSettle", () => {
  const choice = document.querySelector("#choice");
  if (!choice) return;
  if (field.value.trim() === choice.dataset.typed.trim()) field.value = choice.dataset.rest;
  if (moved && document.activeElement === document.body) (choice.querySelector(`input[value="${CSS.escape(moved)}"]`) ?? field).focus();
  moved = "";
  if (isCurrent()) waiting.splice(0).forEach(act);
});

document.addEventListener("click", (e) => {
  const proposal = e.target.closest("[data-prompt]");
  if (!proposal || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  prompt_.value = proposal.dataset.prompt;
  prompt_.dispatchEvent(new Event("input", { bubbles: true }));
  prompt_.focus();
});
