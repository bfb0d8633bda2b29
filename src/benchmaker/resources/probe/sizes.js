// Runs before the page's own code, in the world of the page: notes whether the page reads, or may
// react to, the size of its window, and whether it alters styles unseen by an observer of the
// document. Without that, a page looks the same after a resize as after a load at that size.
(() => {
  if (window.top !== window) return;
  const { define, find, apply, construct } = {
    define: Object.defineProperty, find: Object.getOwnPropertyDescriptor,
    apply: Reflect.apply, construct: Reflect.construct,
  };
  const WATCHED = [
    [window, "innerWidth innerHeight outerWidth outerHeight scrollX scrollY pageXOffset " +
      "pageYOffset screen visualViewport matchMedia getComputedStyle scroll scrollTo scrollBy " +
      "resizeTo resizeBy find onresize onorientationchange IntersectionObserver ResizeObserver " +
      "PerformanceObserver Animation"],
    [Element, "clientWidth clientHeight clientTop clientLeft scrollWidth scrollHeight scrollTop " +
      "scrollLeft scroll scrollTo scrollBy scrollIntoView scrollIntoViewIfNeeded " +
      "getBoundingClientRect getClientRects checkVisibility computedStyleMap currentCSSZoom " +
      "attachShadow animate getAnimations requestFullscreen"],
    [HTMLElement, "offsetWidth offsetHeight offsetTop offsetLeft offsetParent innerText outerText"],
    [HTMLImageElement, "width height x y currentSrc"],
    [HTMLInputElement, "width height"],
    [HTMLBodyElement, "onresize"],
    [HTMLStyleElement, "disabled"],
    [Document, "elementFromPoint elementsFromPoint caretRangeFromPoint caretPositionFromPoint " +
      "adoptedStyleSheets startViewTransition getAnimations"],
    [Range, "getBoundingClientRect getClientRects"],
    [Selection, "toString modify"],
    [SVGGraphicsElement, "getBBox getCTM getScreenCTM"],
    [SVGGeometryElement, "getTotalLength getPointAtLength"],
    [SVGTextContentElement, "getComputedTextLength getSubStringLength getStartPositionOfChar " +
      "getEndPositionOfChar getExtentOfChar getRotationOfChar getCharNumAtPosition"],
    [SVGLength, "value"],
    [StyleSheet, "disabled"],
    [CSSStyleSheet, "insertRule deleteRule addRule removeRule replace replaceSync"],
    [CSSStyleRule, "style styleMap selectorText"],
    [MediaList, "mediaText appendMedium deleteMedium"],
  ];
  const WRITABLE = ["innerText", "outerText", "width", "height"]; // to set them depends on no size

  let isSizeRead = false;
  const watched = (work) => work && new Proxy(work, {
    apply(target, self, given) {
      isSizeRead = true;
      return apply(target, self, given);
    },
    construct(target, given, as) {
      isSizeRead = true;
      return construct(target, given, as);
    },
  });
  for (const [owner, names] of WATCHED) {
    const object = owner === window ? window : owner.prototype;
    for (const name of names.split(" ")) {
      const found = find(object, name);
      if (!found?.configurable) continue;
      if ("value" in found) define(object, name, { ...found, value: watched(found.value) });
      else {
        const set = WRITABLE.includes(name) ? found.set : watched(found.set);
        define(object, name, { ...found, get: watched(found.get), set });
      }
    }
  }
  const EVENTS = ["resize", "orientationchange"];
  const { addEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = new Proxy(addEventListener, {
    apply(target, self, given) {
      if (EVENTS.includes(given[0]) && !(self instanceof Element)) isSizeRead = true;
      return apply(target, self, given);
    },
  });
  define(window, Symbol.for("benchmaker.sizes"), { get: () => isSizeRead });
})();
