// Runs in a world of its own, while the page's scripts are stopped: what the document shows now.
(() => {
  const MOST = 10;
  const MOST_SCANNED = 20000;
  const CONTROLS =
    'a[href],button,input:not([type="hidden"]),select,textarea,summary,[onclick],' +
    '[role="button"],[role="link"],[role="tab"],[role="checkbox"],[role="switch"],' +
    '[role="menuitem"],[contenteditable=""],[contenteditable="true"]';
  const LANDMARKS =
    "main,nav,header,footer,aside,[role=main],[role=navigation],[role=banner]," +
    "[role=contentinfo],[role=complementary],[role=search]";
  const root = document.documentElement;
  const body = document.body;

  const isSteady = globalThis.isSteady?.() ?? false;
  const endless = globalThis.hold();

  const named = (el) => {
    const tag = el.localName;
    if (el.id) return `${tag}#${el.id}`.slice(0, 80);
    const kind = typeof el.className === "string" && el.className.trim().split(/\s+/)[0];
    const parts = [kind ? `${tag}.${kind}` : tag];
    let up = el.parentElement;
    while (up && up !== body && parts.length < 3) {
      parts.unshift(up.id ? `${up.localName}#${up.id}` : up.localName);
      if (up.id) break;
      up = up.parentElement;
    }
    return parts.join(" > ").slice(0, 80);
  };
  const seen = (el) => {
    const box = el.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && el.checkVisibility({
      opacityProperty: false, visibilityProperty: true,
    });
  };
  const all = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  while (all.length < MOST_SCANNED && walker.nextNode()) all.push(walker.currentNode);

  const cut = (el) => ["hidden", "clip"].includes(getComputedStyle(el).overflowX);
  const width = root.clientWidth;
  const isCut = cut(root) || (body && cut(body));
  const overflow = isCut ? 0 : Math.max(0, root.scrollWidth - width);
  const scrollsItself = (el) => {
    for (let up = el.parentElement; up && up !== body; up = up.parentElement) {
      if (getComputedStyle(up).overflowX !== "visible") return true;
    }
    return false;
  };
  const offenders = [];
  if (overflow > 0) {
    for (const el of all) {
      if (offenders.length === MOST) break;
      if (el === body || el.getBoundingClientRect().right <= width + 1) continue;
      if (seen(el) && !scrollsItself(el)) offenders.push(named(el));
    }
  }

  const holdsText = (el) =>
    [...el.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
  let smallText = 0;
  for (const el of body ? body.getElementsByTagName("*") : []) {
    if (smallText >= 1000) break;
    if (holdsText(el) && parseFloat(getComputedStyle(el).fontSize) < 12 && seen(el)) smallText++;
  }
  const controls = [...document.querySelectorAll(CONTROLS)].slice(0, MOST_SCANNED).filter(seen);
  const isInline = (el) => el.localName === "a" && getComputedStyle(el).display === "inline";
  const smallTaps = controls.filter((el) => {
    const box = (el.closest("label") ?? el).getBoundingClientRect();
    return !isInline(el) && (box.width < 24 || box.height < 24);
  }).length;

  const counts = new Map();
  for (const el of document.querySelectorAll("[id]")) {
    counts.set(el.id, (counts.get(el.id) ?? 0) + 1);
  }
  const text = (body?.innerText ?? "").trim();
  const meta = document.querySelector('meta[name="viewport" i]');
  return {
    overflow_px: overflow,
    offenders,
    small_text: smallText,
    small_taps: smallTaps,
    text_len: text.length,
    viewport_meta: Boolean(meta && /width\s*=/.test(meta.content)),
    lang: root.getAttribute("lang") ?? "",
    title: document.title.slice(0, 500),
    interactive: controls.length,
    canvas: document.querySelectorAll("canvas").length,
    broken_images: [...document.images].filter(
      (one) => one.complete && one.naturalWidth === 0 && (one.getAttribute("src") || one.srcset),
    ).length,
    frames: document.querySelectorAll("iframe,frame").length,
    headings: [...document.querySelectorAll("h1,h2,h3,h4,h5,h6")].slice(0, 50).map(
      (one) => `${one.localName} ${one.textContent.trim().replace(/\s+/g, " ")}`.slice(0, 120),
    ),
    landmarks: [...document.querySelectorAll(LANDMARKS)].slice(0, 50).map(
      (one) => one.getAttribute("role") ?? one.localName,
    ),
    duplicate_ids: [...counts].filter(([, count]) => count > 1).map(([id]) => id).sort()
      .slice(0, MOST),
    quirks: document.compatMode === "BackCompat",
    elements: all.length,
    endless,
    is_steady: isSteady,
    height: root.scrollHeight,
    layout_shift: globalThis.layoutShift?.() ?? null,
  };
})();
