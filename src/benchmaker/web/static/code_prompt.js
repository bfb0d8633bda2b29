// The form for a page: names become choices, a bundled prompt fills the field.
const field = document.querySelector("#models"), prompt_ = document.querySelector("#prompt");

// A comma or Enter ends a name; what was understood leaves the field.
field?.addEventListener("keydown", (e) => {
  if (e.key !== "Enter" || !field.value.trim()) return;
  e.preventDefault();
  if (!field.value.trim().endsWith(",")) field.value += ",";
  field.dispatchEvent(new Event("input", { bubbles: true }));
});

// The arrow keys move through the names that were found; Enter chooses one, and chosen ones are left.
const steps = { ArrowDown: 1, ArrowUp: -1 };
field?.closest("form")?.addEventListener("keydown", (e) => {
  const found = [...document.querySelectorAll("#choice .found input")];
  const at = found.indexOf(e.target);
  if (at < 0 && (e.target !== field || e.key !== "ArrowDown")) return;
  if (e.key === "Enter") { e.preventDefault(); e.target.click(); }
  if (!(e.key in steps)) return;
  e.preventDefault();
  (found[at + steps[e.key]] ?? (at + steps[e.key] < 0 ? field : null))?.focus();
});
let moved = "";
document.addEventListener("change", (e) => { if (e.target.closest?.("#choice")) moved = e.target.value; });
document.body.addEventListener("htmx:afterSettle", () => {
  const choice = document.querySelector("#choice");
  if (choice && field.value.trim() === choice.dataset.typed.trim()) field.value = choice.dataset.rest;
  if (moved && document.activeElement === document.body) choice?.querySelector(`input[value="${CSS.escape(moved)}"]`)?.focus();
  moved = "";
});

document.addEventListener("click", (e) => {
  const proposal = e.target.closest("[data-prompt]");
  if (!proposal || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  prompt_.value = proposal.dataset.prompt;
  prompt_.dispatchEvent(new Event("input", { bubbles: true }));
  prompt_.focus();
});
