// Runs in our world: what would make two pictures of the same state differ. A caret blinks, and an
// endless animation has no state of its own.
globalThis.hold ??= (() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { caret-color: transparent !important }");
  return () => {
    let endless = 0;
    for (const one of document.getAnimations()) {
      if (one.effect?.getComputedTiming().endTime !== Infinity) continue;
      if (one.playState === "running") endless++;
      try { one.cancel(); } catch { /* it is over */ }
    }
    if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
    return endless;
  };
})();
