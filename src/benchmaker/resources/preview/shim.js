// Runs before the page's own code: gives it a storage that forgets, takes away what would reach
// the network around the policy, and tells the parent page what happens, for display only.
(() => {
  "use strict";
  const self = document.currentScript;
  if (self) self.remove();

  const tell = ((parent, toParent, isFramed) => (kind, data) => {
    if (!isFramed) return;
    try { toParent.call(parent, { benchmaker: kind, ...data }, "*"); } catch { /* gone */ }
  })(window.parent, window.parent.postMessage, window.parent !== window);

  // Storage: a sandboxed page has none, and reading it throws.
  const storage = () => {
    const held = new Map();
    const methods = {
      getItem: (key) => (held.has(String(key)) ? held.get(String(key)) : null),
      setItem: (key, value) => { held.set(String(key), String(value)); },
      removeItem: (key) => { held.delete(String(key)); },
      clear: () => { held.clear(); },
      key: (index) => [...held.keys()][index] ?? null,
    };
    return new Proxy(Object.create(Storage.prototype), {
      get: (_, key) => (key === "length" ? held.size : methods[key] ?? held.get(key)),
      set: (_, key, value) => { methods.setItem(key, value); return true; },
      has: (_, key) => key in methods || held.has(key),
      deleteProperty: (_, key) => { held.delete(key); return true; },
      ownKeys: () => [...held.keys()],
      getOwnPropertyDescriptor: (_, key) => (held.has(key)
        ? { value: held.get(key), writable: true, enumerable: true, configurable: true }
        : undefined),
    });
  };
  for (const name of ["localStorage", "sessionStorage"]) {
    const value = storage();
    let told = false;
    Object.defineProperty(window, name, {
      configurable: true,
      get: () => {
        if (!told) { told = true; tell("storage_shimmed", { name }); }
        return value;
      },
    });
  }
  try { void document.cookie; } catch {
    Object.defineProperty(document, "cookie", { configurable: true, get: () => "", set: () => {} });
  }

  // WebRTC is not held by the policy.
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel"]) {
    delete window[name];
  }

  // The console and errors, cut short and counted.
  const MOST_MESSAGES = 100;
  const MOST_CHARACTERS = 2000;
  let sent = 0;
  const relay = (level, words) => {
    if (sent >= MOST_MESSAGES) return;
    sent += 1;
    tell("console", { level, text: words.map(String).join(" ").slice(0, MOST_CHARACTERS) });
  };
  const worded = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    try { return JSON.stringify(value) ?? String(value); } catch { return String(value); }
  };
  for (const level of ["log", "info", "warn", "error", "debug"]) {
    const own = console[level].bind(console);
    console[level] = (...given) => {
      own(...given);
      try { relay(level, given.map(worded)); } catch { /* the page goes on */ }
    };
  }
  window.addEventListener("error", (event) => {
    if (event.message) relay("error", [`${event.message} (line ${event.lineno})`]);
  });
  window.addEventListener("unhandledrejection", (event) => {
    relay("error", ["Unhandled rejection:", worded(event.reason)]);
  });

  // Dialogs: a page that keeps asking is not heard for ever.
  const MOST_DIALOGS = 3;
  let asked = 0;
  for (const [name, silent] of [["alert", undefined], ["confirm", false], ["prompt", null]]) {
    const own = window[name].bind(window);
    window[name] = (...given) => {
      asked += 1;
      if (asked <= MOST_DIALOGS) return own(...given);
      relay("warn", [`${name} was not shown: the page asked ${asked} times`]);
      return silent;
    };
  }

  // Signs of life: none for three seconds means that the page hangs.
  if (window.parent === window) return;
  const { setInterval } = window;
  setInterval(() => tell("alive", {}), 500);
  window.addEventListener("load", () => {
    tell("ready", { height: document.documentElement.scrollHeight });
  });

  // Scrolling is reported as a share of the height; the frame scrolls when the page around it asks.
  const { parent, requestAnimationFrame } = window;
  const way = (at) => Math.max(1, at.scrollHeight - at.clientHeight);
  let followed = -1;
  let isTelling = false;
  window.addEventListener("scroll", () => {
    if (isTelling) return;
    isTelling = true;
    requestAnimationFrame(() => {
      isTelling = false;
      const at = document.scrollingElement;
      if (at && Math.round(at.scrollTop) !== followed) tell("scroll", { y: at.scrollTop / way(at) });
      followed = -1;
    });
  }, { passive: true });
  window.addEventListener("message", (event) => {
    const at = document.scrollingElement;
    if (event.source !== parent || event.data?.benchmaker !== "scroll" || !at) return;
    const before = Math.round(at.scrollTop);
    at.scrollTo({ top: Number(event.data.y) * way(at), behavior: "instant" });
    if (Math.round(at.scrollTop) !== before) followed = Math.round(at.scrollTop);
  });

  // Keys of the page around: one that this page has no use for gives the focus back to it.
  const KEYS = "1234abscvrunfABSCVRUNF";
  const { addEventListener: listen } = EventTarget.prototype;
  let hasKeys = false;
  EventTarget.prototype.addEventListener = function addEventListener(type, ...rest) {
    const isWhole = [window, document, document.documentElement, document.body].includes(this);
    if (isWhole && ["keydown", "keyup", "keypress"].includes(type)) hasKeys = true;
    return listen.call(this, type, ...rest);
  };
  const usesKeys = () => hasKeys || [window, document, document.body].some(
    (it) => it && (it.onkeydown || it.onkeyup || it.onkeypress),
  );
  const FIELDS = "input, select, textarea, [contenteditable], [role=textbox], audio, video";
  listen.call(window, "keydown", (event) => {
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    if (!event.isTrusted || event.repeat || event.defaultPrevented || isModified) return;
    if (event.key !== "Escape") {
      if (event.key.length !== 1 || !KEYS.includes(event.key)) return;
      if (usesKeys() || event.target?.closest?.(FIELDS)) return;
    }
    parent.focus();
    tell("key", { key: event.key });
  });
})();
