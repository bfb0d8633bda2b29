// Runs on an element, in the driver's world: what keeps it from being seen whole, in words.
(el) => {
  const TOLERANCE = 1;
  const box = el.getBoundingClientRect();
  const cuts = (sides, name) => {
    for (const [side, px] of Object.entries(sides)) {
      if (px > TOLERANCE) return `${Math.round(px)} px of it are ${name} ${side}`;
    }
    return "";
  };
  const across = (right) => ({ left: -box.left, right: box.right - right });
  const sides = (inner) => ({
    left: inner.left - box.left, right: box.right - inner.right,
    top: inner.top - box.top, bottom: box.bottom - inner.bottom,
  });
  const width = document.documentElement.clientWidth;
  const page = { left: 0, top: 0, right: width, bottom: innerHeight };
  const isCutting = (style) => style.overflowX !== "visible" || style.overflowY !== "visible";
  const clipped = () => {
    const own = getComputedStyle(el);
    if (["hidden", "clip"].includes(own.overflowX) && el.scrollWidth > el.clientWidth + TOLERANCE) {
      return `${el.scrollWidth - el.clientWidth} px of its content are cut off`;
    }
    for (let up = el.parentElement; up && up !== document.body; up = up.parentElement) {
      if (!isCutting(getComputedStyle(up))) continue;
      const said = cuts(sides(up.getBoundingClientRect()), "cut off by an element at the");
      if (said) return said;
    }
    return cuts(across(width), "outside of the window,");
  };
  return { in_viewport: cuts(sides(page), "outside of the window,"), unclipped: clipped() };
};
