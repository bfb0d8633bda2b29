// Runs in our world: the layout shift between a first look and a second one, as the impact fraction
// times the distance fraction of https://web.dev/articles/cls. Elements that a transform moves do
// not count, and neither do moves below three pixels.
globalThis.layoutShift = (() => {
  const MOST = 400;
  const MOST_SCANNED = 8000;
  const LEAST_PX = 3;
  const wide = innerWidth;
  const high = innerHeight;

  const inWindow = (box) => {
    const left = Math.max(0, box.left);
    const right = Math.min(wide, box.right);
    const top = Math.max(0, box.top);
    const bottom = Math.min(high, box.bottom);
    return right > left && bottom > top ? { left, right, top, bottom } : null;
  };
  const look = () => {
    const boxes = new Map();
    const transformed = new WeakSet();
    const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_ELEMENT);
    for (let n = 0; n < MOST_SCANNED && walker.nextNode(); n++) {
      const el = walker.currentNode;
      const style = getComputedStyle(el);
      if (transformed.has(el.parentElement) || style.transform !== "none") transformed.add(el);
      else if (style.visibility === "visible") boxes.set(el, el.getBoundingClientRect());
    }
    return boxes;
  };
  const area = (boxes) => { // of their union, by horizontal bands
    const ys = [...new Set(boxes.flatMap((one) => [one.top, one.bottom]))].sort((a, b) => a - b);
    let sum = 0;
    for (let i = 1; i < ys.length; i++) {
      const band = boxes.filter((one) => one.top < ys[i] && one.bottom > ys[i - 1]);
      band.sort((a, b) => a.left - b.left);
      let end = 0;
      let across = 0;
      for (const one of band) {
        across += Math.max(0, one.right - Math.max(end, one.left));
        end = Math.max(end, one.right);
      }
      sum += across * (ys[i] - ys[i - 1]);
    }
    return sum;
  };

  const before = look();
  return () => {
    const areas = [];
    let furthest = 0;
    for (const [el, now] of look()) {
      const then = before.get(el);
      if (!then || areas.length >= 2 * MOST) continue;
      const moved = Math.max(Math.abs(now.left - then.left), Math.abs(now.top - then.top));
      const [from, to] = [inWindow(then), inWindow(now)];
      if (moved < LEAST_PX || !(from || to) || !then.width || !then.height) continue;
      furthest = Math.max(furthest, moved);
      areas.push(...[from, to].filter(Boolean));
    }
    const impact = area(areas) / (wide * high);
    const distance = Math.min(1, furthest / Math.max(wide, high));
    return Math.round(impact * distance * 100) / 100;
  };
})();
true;
