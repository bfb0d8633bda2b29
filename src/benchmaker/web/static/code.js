// Previews: true widths scaled to the pane, both shown together, a way out of one that hangs.
const stages = [...document.querySelectorAll(".stage")], began = Date.now();
const frameOf = (stage) => stage.querySelector("iframe");
const stageOf = (source) => stages.find((it) => frameOf(it)?.contentWindow === source);
const chosen = () => document.querySelector("input[name=vp]:checked")?.value ?? "fit";
const seen = new Set();

const fit = () => {
  if (chosen() !== "fit") seen.add(chosen());
  for (const stage of stages) {
    const frame = frameOf(stage), said = stage.closest(".pane").querySelector(".zoom");
    said?.toggleAttribute("hidden", stage.hidden);
    if (!frame || stage.hidden) continue;
    const width = chosen() === "fit" ? stage.clientWidth : Number(chosen());
    const scale = Math.min(1, stage.clientWidth / width);
    frame.style.width = `${width}px`;
    frame.style.height = `${stage.clientHeight / scale}px`;
    frame.style.transform = `scale(${scale})`;
    frame.style.marginLeft = `${Math.max(0, (stage.clientWidth - width * scale) / 2)}px`;
    if (said) said.textContent = `${width} px wide, shown at ${Math.round(scale * 100)} %`;
  }
};
for (const it of document.querySelectorAll("input[name=vp]")) it.addEventListener("change", fit);
const sizes = new ResizeObserver(fit);
for (const stage of stages) sizes.observe(stage);

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
// A page that stays silent is stopped, since each that loops takes a processor from the others. Time
// in which this page itself was held up counts for none.
const lives = new Map(), SILENT_MS = 3000, LOADING_MS = 3000, STOP_MS = 10000, LATE_MS = 1000;
let ticked = Date.now();
const begins = (stage) => { if (frameOf(stage)) lives.set(stage, Date.now() + LOADING_MS); };
stages.forEach(begins);
setInterval(() => {
  const time = Date.now(), late = Math.max(0, time - ticked - LATE_MS);
  ticked = time;
  for (const [stage, last] of lives) {
    const life = document.hidden ? time : last + late;
    lives.set(stage, life);
    stage.querySelector(".stopped")?.toggleAttribute("hidden", time - life < SILENT_MS);
    if (time - life > STOP_MS) stop(stage, "The preview was stopped: it did not respond for 10 seconds.");
  }
}, 500);

// The page that people scroll leads; the others follow by the same share of their way.
const together = document.querySelector("#together");
const follow = (leader, y) => {
  if (!(together?.checked ?? false) || !Number.isFinite(y) || !(leader.matches(":hover") || document.activeElement === frameOf(leader))) return;
  for (const other of stages) if (other !== leader) frameOf(other)?.contentWindow.postMessage({ benchmaker: "scroll", y: Math.min(1, Math.max(0, y)) }, "*");
};

// A frame can ask for one thing: that the focus leaves it. What a key then does is decided by the
// browser's own event of that key, which arrives here when the key is released. A page that forges
// the message loses the focus, and presses nothing. Who types into a page presses nothing either: a
// vote waits for a second, any other key cancels it, and further keys are ignored for a moment.
const back = document.querySelector("#back"), PATIENCE_MS = 2000, QUIET_MS = 800, SECOND_MS = 1000;
const NO_KEY = { key: "", at: 0 };
let holder = null, pressed = "", released = NO_KEY, awaited = NO_KEY, quiet = 0, armed = { key: "", timer: 0 };
const now = () => performance.now();
const isRecent = (it, key) => it.key === key && now() - it.at < PATIENCE_MS;
const say = (text) => { if (back) back.textContent = text; };
const disarm = () => {
  if (armed.key) say(`${armed.key} was cancelled.`);
  clearTimeout(armed.timer);
  armed = { key: "", timer: 0 };
};
const act = (key) => {
  awaited = released = NO_KEY;
  if ("vcrf".includes(key)) { press(key); pressView(key); return; }
  if (!document.querySelector(`[data-key="${CSS.escape(key)}"], [data-also~="${CSS.escape(key)}"]`)) return;
  say(`${key} counts in a second. Any other key cancels it.`);
  armed = { key, timer: setTimeout(() => { armed = { key: "", timer: 0 }; press(key); }, SECOND_MS) };
};
const takeFocus = (stage, key) => {
  if (document.documentElement.dataset.keys === "off" || holder !== stage) return;
  holder = null;
  const bar = document.querySelector(".votebar") ?? document.querySelector("main");
  bar.tabIndex = -1;
  window.focus();
  bar.focus({ preventScroll: true });
  [quiet, awaited] = [now() + QUIET_MS, { key, at: now() }];
  say(`Keys now work on this page.${key === "Escape" ? "" : ` If nothing happens, press ${key} again.`}`);
  if (isRecent(released, key)) act(key);
};
addEventListener("blur", () => { holder = stages.find((it) => frameOf(it) === document.activeElement) ?? holder; });
document.addEventListener("pointerdown", () => { holder = null; disarm(); }, true);
document.addEventListener("keydown", (e) => {
  const isSame = [armed.key, awaited.key].includes(e.key);
  if (!isSame) disarm();
  [pressed, holder, awaited] = [e.key, null, NO_KEY];
  if (!armed.key && (now() > quiet || isSame || ["Tab", "Escape"].includes(e.key))) return;
  quiet = now() + QUIET_MS;
  e.stopImmediatePropagation();
  e.preventDefault();
}, true);
document.addEventListener("keyup", (e) => {
  const isWhole = pressed === e.key;
  pressed = "";
  if (isWhole || !e.isTrusted || e.key === "Escape") return;
  if (isRecent(awaited, e.key)) act(e.key); else if (holder) released = { key: e.key, at: now() };
});

addEventListener("message", (e) => {
  const stage = e.origin === "null" && stageOf(e.source), said = e.data;
  if (!stage || typeof said !== "object" || typeof said?.benchmaker !== "string") return;
  lives.set(stage, Date.now());
  if (said.benchmaker === "scroll") follow(stage, said.y);
  if (said.benchmaker === "key" && typeof said.key === "string") takeFocus(stage, said.key.slice(0, 10));
});

const again = (stage) => {
  const old = frameOf(stage) ?? stage.gone ?? stage.querySelector("template")?.content.firstElementChild;
  if (!old) return;
  const fresh = old.cloneNode();
  if (old.isConnected) old.replaceWith(fresh); else stage.prepend(fresh);
  const cover = stage.querySelector(".stopped");
  if (cover) [cover.hidden, cover.querySelector("p").textContent] = [true, "This preview stopped responding."];
  begins(stage);
  fit();
};
const stop = (stage, words = "The preview was stopped.") => {
  const frame = frameOf(stage);
  if (!frame) return;
  stage.gone = frame;
  frame.remove();
  lives.delete(stage);
  stage.querySelector(".stopped p").textContent = words;
};
document.addEventListener("click", (e) => {
  const action = e.target.closest("[data-frame]")?.dataset.frame;
  const stage = e.target.closest(".pane")?.querySelector(".stage");
  if (action === "again" && stage) again(stage);
  if (action === "stop" && stage) stop(stage);
  if (action === "full") fullScreen(e.target.closest(".pane") ?? document.querySelector("#comparison"));
});
const fullScreen = (element) => { if (document.fullscreenElement) document.exitFullscreen(); else element?.requestFullscreen(); };

// A link to share is copied; where that is not possible, it is followed.
document.addEventListener("click", (e) => {
  const link = e.target.closest("[data-copy]");
  if (!link || !navigator.clipboard) return;
  e.preventDefault();
  navigator.clipboard.writeText(link.href).then(() => { say("The link to this pair is copied."); }, () => { location.href = link.href; });
});

// Tabs of a pane. "Code first" loads no preview until it is wanted.
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
  if (on) stages.forEach((stage) => stop(stage)); else stages.forEach((stage) => { if (!frameOf(stage) && stage.gone) again(stage); });
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

// v goes through the widths, r loads the pages again, f shows them on the whole screen.
const pressView = (key) => {
  const widths = [...document.querySelectorAll("input[name=vp]")];
  if (key === "v" && widths.length) widths[(widths.findIndex((it) => it.checked) + 1) % widths.length].click();
  if (key === "r") stages.forEach(again);
  if (key === "f") fullScreen(document.querySelector("#comparison"));
};
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input:not([type=radio]):not([type=checkbox]), select, textarea") || document.documentElement.dataset.keys === "off") return;
  pressView(e.key);
});

// The header counts the runs that go on, without the one that has ended.
const endRun = (run) => {
  const chip = document.querySelector("#running");
  const others = chip ? chip.dataset.runs.split(" ").filter((it) => it !== run) : [];
  if (!others.length) { chip?.remove(); return; }
  [chip.dataset.runs, chip.lastChild.textContent] = [others.join(" "), `${others.length} running`];
};

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
  stream.addEventListener("shots", (e) => {
    for (const { at, html } of JSON.parse(e.data)) {
      const place = document.querySelector(`[data-at="${CSS.escape(at)}"]`);
      if (place) place.innerHTML = html;
    }
  });
  stream.addEventListener("over", (e) => {
    stream.close();
    const { waiting } = JSON.parse(e.data);
    for (const late of document.querySelectorAll("template[data-ended]"))
      if (waiting || late.dataset.ended !== "vote") late.replaceWith(late.content);
    document.querySelector("#over")?.removeAttribute("hidden");
    document.querySelector("#going")?.remove();
    endRun(live.dataset.run);
  });
}
fit();
