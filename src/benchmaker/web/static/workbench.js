// Everything here is convenience: each page reads and works without it.
const root = document.documentElement;
root.classList.add("js");

document.querySelector("#theme")?.addEventListener("change", (e) => e.target.form.submit());

const toggle = document.querySelector(".navtoggle"), nav = document.querySelector("#nav");
toggle?.addEventListener("click", () => toggle.setAttribute("aria-expanded", String(nav.classList.toggle("open"))));

const closeMenus = (keep) => document.querySelectorAll("details.menu[open]").forEach((d) => { if (d !== keep) d.open = false; });
document.addEventListener("click", (e) => closeMenus(e.target.closest("details.menu")));

// What asks keeps the focus while it asks; Escape is the safe answer.
for (const it of document.querySelectorAll("dialog[open]")) {
  it.addEventListener("cancel", (e) => { e.preventDefault(); it.querySelector("[autofocus]")?.click(); });
  it.close();
  it.showModal();
}

const escape = () => {
  const menu = document.activeElement?.closest("details.menu[open]");
  if (menu) menu.querySelector("summary").focus();
  closeMenus(null);
  if (nav?.classList.contains("open")) { toggle.click(); toggle.focus(); }
};

const inField = (e) => e.target.matches("input, select, textarea, [contenteditable]");
const plain = (e) => !(e.ctrlKey || e.metaKey || e.altKey);
let going = false;
document.addEventListener("keydown", (e) => {
  if (e.key === "Escape") { escape(); return; }
  if (e.key === "k" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); document.querySelector("#jump")?.click(); return; }
  if (inField(e) || !plain(e) || root.dataset.keys === "off") return;
  if (going) {
    going = false;
    document.querySelector(`[data-go="${CSS.escape(e.key)}"]`)?.click();
    return;
  }
  if (e.key === "g") { going = true; setTimeout(() => { going = false; }, 1500); return; }
  if (e.key === "/") { const f = document.querySelector("input[type=search]"); if (f) { e.preventDefault(); f.focus(); } return; }
  if (e.key === ".") { const t = document.querySelector("#theme"); if (t) { t.selectedIndex = (t.selectedIndex + 1) % t.length; t.form.submit(); } return; }
  document.querySelector(`[data-key="${CSS.escape(e.key)}"]`)?.click();
});
