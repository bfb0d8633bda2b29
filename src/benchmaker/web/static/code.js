// Previews: true widths scaled to the pane, both shown together, a way out of one that hangs.
const stages = [...document.querySelectorAll(".stage")], began = Date.now();
const frameOf = (stage) => stage.querySelector("iframe");
const chosen = () => document.querySelector("input[name=vp]:checked")?.value ?? "fit";
const seen = new Set();

const fit = () => {
  if (chosen() !== "fit") seen.add(chosen());
  for (const stage of stages) {
    const frame = frameOf(stage);
    if (!frame) continue;
    const width = chosen() === "fit" ? stage.clientWidth : Number(chosen());
    const scale = Math.min(1, stage.clientWidth / width);
    frame.style.width = `${width}px`;
    frame.style.height = `${stage.clientHeight / scale}px`;
    frame.style.transform = `scale(${scale})`;
    frame.style.marginLeft = `${Math.max(0, (stage.clientWidth - width * scale) / 2)}px`;
    const said = stage.closest(".pane").querySelector(".zoom");
    if (said) said.textContent = `${width} px wide, shown at ${Math.round(scale * 100)} %`;
  }
};
for (const it of document.querySelectorAll("input[name=vp]")) it.addEventListener("change", fit);
if (stages.length) new ResizeObserver(fit).observe(stages[0]);

// Both pages appear together: the quicker one gains nothing.
const duel = document.querySelector("#duel");
let shownAt = began;
const waitForAll = () => {
  const waiting = new Set(stages.map(frameOf).filter(Boolean));
  if (!duel || waiting.size < 2) return;
  duel.classList.add("waiting");
  const show = () => { if (duel.classList.replace("waiting", "ready")) shownAt = Date.now(); };
  for (const frame of waiting) frame.addEventListener("load", () => { waiting.delete(frame); if (!waiting.size) show(); }, { once: true });
  setTimeout(show, 6000);
};
waitForAll();

// Signs of life come from the frame itself; they are for display, and nothing is scored by them.
const lives = new Map(), SILENT_MS = 3000, LOADING_MS = 3000;
const begins = (stage) => { if (frameOf(stage)) lives.set(stage, Date.now() + LOADING_MS); };
stages.forEach(begins);
addEventListener("message", (e) => {
  const stage = stages.find((it) => frameOf(it)?.contentWindow === e.source);
  if (stage && typeof e.data === "object" && typeof e.data?.benchmaker === "string") lives.set(stage, Date.now());
});
setInterval(() => {
  for (const [stage, last] of lives) {
    if (document.hidden) lives.set(stage, Date.now());
    stage.querySelector(".stopped")?.toggleAttribute("hidden", document.hidden || Date.now() - last < SILENT_MS);
  }
}, 500);

const again = (stage) => {
  const old = frameOf(stage) ?? stage.gone ?? stage.querySelector("template")?.content.firstElementChild;
  if (!old) return;
  const fresh = old.cloneNode();
  if (old.isConnected) old.replaceWith(fresh); else stage.prepend(fresh);
  stage.querySelector(".stopped")?.setAttribute("hidden", "");
  begins(stage);
  fit();
};
const stop = (stage) => {
  const frame = frameOf(stage);
  if (!frame) return;
  stage.gone = frame;
  frame.remove();
  lives.delete(stage);
  stage.querySelector(".stopped p").textContent = "The preview was stopped.";
};
document.addEventListener("click", (e) => {
  const action = e.target.closest("[data-frame]")?.dataset.frame;
  const stage = e.target.closest(".pane")?.querySelector(".stage");
  if (action === "again" && stage) again(stage);
  if (action === "stop" && stage) stop(stage);
});

// Tabs: preview or code. "Code first" loads no preview until it is asked for.
const select = (tab) => {
  for (const other of tab.parentElement.children) {
    const isIt = other === tab;
    other.setAttribute("aria-selected", String(isIt));
    other.tabIndex = isIt ? 0 : -1;
    document.getElementById(other.getAttribute("aria-controls"))?.toggleAttribute("hidden", !isIt);
  }
};
for (const list of document.querySelectorAll("[role=tablist]")) {
  const tabs = [...list.children];
  select(tabs[0]);
  list.addEventListener("click", (e) => { const tab = e.target.closest("[role=tab]"); if (tab) { select(tab); fit(); } });
  list.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    select(next); next.focus(); fit();
  });
}
const first = document.querySelector("#codefirst");
const CODE_FIRST = "benchmaker-code-first";
const codeFirst = (on) => {
  for (const list of document.querySelectorAll("[role=tablist]")) select(list.children[on ? 1 : 0]);
  if (on) stages.forEach(stop); else stages.forEach((stage) => { if (!frameOf(stage) && stage.gone) again(stage); });
};
if (first) {
  first.checked = localStorage.getItem(CODE_FIRST) === "1";
  if (first.checked) codeFirst(true);
  first.addEventListener("change", () => { localStorage.setItem(CODE_FIRST, first.checked ? "1" : "0"); codeFirst(first.checked); });
}

// What the vote carries: how long both were looked at, and at which widths.
document.querySelector("#voting")?.addEventListener("submit", (e) => {
  e.target.elements.ms.value = String(Date.now() - shownAt);
  e.target.elements.seen.value = [...seen].join(",");
});
const undo = document.querySelector("#undo");
if (undo) {
  const left = undo.querySelector("span");
  const ticking = setInterval(() => {
    const seconds = Number(left.textContent) - 1;
    if (seconds <= 0) { undo.closest("form").remove(); clearInterval(ticking); } else left.textContent = String(seconds);
  }, 1000);
}

// v goes through the widths, r loads both pages again.
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input:not([type=radio]):not([type=checkbox]), select, textarea") || document.documentElement.dataset.keys === "off") return;
  const widths = [...document.querySelectorAll("input[name=vp]")];
  if (e.key === "v" && widths.length) widths[(widths.findIndex((it) => it.checked) + 1) % widths.length].click();
  if (e.key === "r") stages.forEach(again);
});

// While answers are being written, their previews follow.
const live = document.querySelector("[data-live]");
if (live) {
  const stream = new EventSource(live.dataset.live);
  stream.addEventListener("panes", (e) => {
    for (const { n, state, words, version } of JSON.parse(e.data)) {
      const stage = document.querySelector(`.stage[data-n="${Number(n)}"]`), frame = stage && frameOf(stage);
      const said = document.querySelector(`[data-state="${Number(n)}"]`);
      if (said) said.textContent = words;
      if (!stage || stage.dataset.version === version) continue;
      stage.dataset.version = version;
      stage.dataset.now = state;
      if (frame) { frame.src = `${frame.dataset.src}?v=${encodeURIComponent(version)}`; begins(stage); }
    }
  });
  stream.addEventListener("over", () => { stream.close(); document.querySelector("#over")?.removeAttribute("hidden"); });
}
fit();
