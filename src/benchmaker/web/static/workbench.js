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

// Jump: over the page, so that nothing that is typed meanwhile is lost; the arrows go through the hits.
let jumper = null, looked = 0;
const hitsOf = (it) => [...it.closest("#jumper, main").querySelectorAll(".jumplist a")];
const look = async () => {
  const mine = ++looked, text = jumper.querySelector("input").value;
  const answer = await fetch(`/jump?q=${encodeURIComponent(text)}`, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (answer?.ok && mine === looked) { jumper.querySelector(".hits").innerHTML = await answer.text(); jumper.dataset.of = text; }
};
const makeJumper = () => {
  document.body.append(document.querySelector("#jumping").content.cloneNode(true));
  const it = document.querySelector("#jumper"), field = it.querySelector("input");
  field.addEventListener("input", () => { const mine = ++looked; setTimeout(() => { if (mine === looked) look(); }, 120); });
  it.addEventListener("click", (e) => { if (e.target === it) it.close(); });
  it.querySelector("form").addEventListener("submit", (e) => {
    const [first] = hitsOf(field);
    if (first && it.dataset.of === field.value) { e.preventDefault(); first.click(); }
  });
  return it;
};
const jump = () => {
  if (!document.querySelector("#jump")) return;
  jumper ??= makeJumper();
  if (!jumper.open) jumper.showModal();
  jumper.querySelector("input").select();
  look();
};
document.querySelector("#jump")?.addEventListener("click", (e) => { if (plain(e)) { e.preventDefault(); jump(); } });
document.addEventListener("keydown", (e) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key], here = document.activeElement;
  if (!step || !here?.matches("#jumper input, .jumplist a, .jumpfield input")) return;
  const stops = [here.matches("input") ? here : here.closest("#jumper, main").querySelector("input[type=search]"), ...hitsOf(here)];
  e.preventDefault();
  stops[Math.min(Math.max(stops.indexOf(here) + step, 0), stops.length - 1)].focus();
});

// Leaving a form whose changes are not stored asks first; so does one that came back with remarks.
for (const form of document.querySelectorAll("form[data-unsaved]")) {
  const filled = () => new URLSearchParams(new FormData(form)).toString(), before = filled();
  let storing = false;
  form.addEventListener("submit", () => { storing = true; });
  window.addEventListener("pageshow", () => { storing = false; });
  window.addEventListener("beforeunload", (e) => {
    if (!storing && (form.dataset.unsaved === "changed" || filled() !== before)) e.preventDefault();
  });
}

const TEXT = "textarea, [contenteditable], input:not([type=checkbox], [type=radio], [type=file], [type=submit], [type=button])";
const leaveField = () => { const here = document.activeElement; if (here?.matches(TEXT)) here.blur(); };
const inField = (e) => e.target.matches("input, select, textarea, [contenteditable]");
const plain = (e) => !(e.ctrlKey || e.metaKey || e.altKey);
// What a key presses; a control may have further keys beside its first.
const press = (key) => document.querySelector(`[data-key="${CSS.escape(key)}"], [data-also~="${CSS.escape(key)}"]`)?.click();
let going = false;
document.addEventListener("keydown", (e) => {
  if (e.key === "Escape") { if (jumper?.open) { e.preventDefault(); jumper.close(); } else { escape(); leaveField(); } return; }
  if (e.key === "k" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); jump(); return; }
  if (inField(e) || !plain(e) || root.dataset.keys === "off") return;
  if (going) {
    going = false;
    document.querySelector(`[data-go="${CSS.escape(e.key)}"]`)?.click();
    return;
  }
  if (e.key === "g") { going = true; setTimeout(() => { going = false; }, 1500); return; }
  if (e.key === "/") { const f = document.querySelector("input[type=search]"); if (f) { e.preventDefault(); f.focus(); } return; }
  if (e.key === ".") { const t = document.querySelector("#theme"); if (t) { t.selectedIndex = (t.selectedIndex + 1) % t.length; t.form.submit(); } return; }
  press(e.key);
});
