// Runs in a world of its own: the controls of the page, fixed at the first look, and what each
// click changes in the document. What changes by itself is known before and does not count.
globalThis.walk = (() => {
  const CANDIDATES =
    'button,[role="button"],[role="tab"],[role="switch"],[role="menuitem"],[role="checkbox"],' +
    '[onclick],summary,a[href],input[type="button"],input[type="submit"],input[type="reset"],' +
    'input[type="checkbox"],input[type="radio"],input[type="image"]';
  const UNTYPED = ["hidden", "checkbox", "radio", "button", "submit", "reset", "image", "file"];
  const FIELDS = `input${UNTYPED.map((type) => `:not([type="${type}" i])`).join("")},textarea,select`;
  const restless = new WeakSet();
  let coming = [];
  const observer = new MutationObserver((some) => { coming.push(...some); });
  let records = [];
  let fields = "";
  let pictures = new Map();
  let scrolled = "";
  let isRestlessPicture = false;
  const controls = [];

  const usable = (el) => {
    const box = el.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && !el.disabled
      && el.getAttribute("aria-disabled") !== "true"
      && el.checkVisibility({ visibilityProperty: true });
  };
  const named = (el) => {
    const words = (el.getAttribute("aria-label") || el.innerText || el.value || el.title || "");
    const said = words.trim().replace(/\s+/g, " ").slice(0, 40);
    return `${el.localName}${el.id ? `#${el.id}` : ""}${said ? ` “${said}”` : ""}`;
  };
  const state = () => [...document.querySelectorAll("input,textarea,select,details,dialog")]
    .slice(0, 2000)
    .map((el) => `${el.value ?? ""}|${el.checked ?? ""}|${el.open ?? ""}`).join("\n");
  const drawn = () => {
    const found = new Map();
    for (const one of [...document.querySelectorAll("canvas")].slice(0, 8)) {
      if (one.width * one.height > 4e6) continue;
      try { found.set(one, one.toDataURL("image/png")); } catch { /* another's picture */ }
    }
    return found;
  };
  const place = () => `${Math.round(scrollX)},${Math.round(scrollY)}`;
  const isRestless = (node) => {
    for (let up = node; up && up !== document.body; up = up.parentNode) {
      if (restless.has(up)) return true;
    }
    return false;
  };
  const FILLINGS = {
    email: "name@example.com", url: "https://example.com/", tel: "5550100", date: "2025-01-15",
    "datetime-local": "2025-01-15T12:00", month: "2025-01", week: "2025-W03", time: "12:00",
  };
  const filling = (el) => {
    if (el.localName === "select") {
      return [...el.options].find((one) => one.value && !one.disabled)?.value ?? "";
    }
    if (el.type === "number") return el.min || (el.max && Number(el.max) < 1 ? el.max : "1");
    return (FILLINGS[el.type] ?? "Example").slice(0, el.maxLength > 0 ? el.maxLength : undefined);
  };
  const take = () => {
    records = [...coming, ...observer.takeRecords()];
    coming = [];
  };

  return {
    begin(most) {
      for (const el of document.querySelectorAll(CANDIDATES)) {
        if (controls.length >= most) break;
        if (usable(el) && !controls.some((one) => one.contains(el))) controls.push(el);
      }
      observer.observe(document, {
        subtree: true, childList: true, attributes: true, characterData: true,
      });
      return controls.map(named);
    },
    rest() { // what altered up to here altered by itself; says whether anything did
      take();
      for (const { target } of records) restless.add(target);
      let isAltered = records.length > 0;
      const before = pictures;
      pictures = drawn();
      for (const [one, picture] of pictures) {
        if (!before.has(one) || before.get(one) === picture) continue;
        restless.add(one);
        isAltered = true;
        isRestlessPicture = true;
      }
      return isAltered;
    },
    async ready(index) { // where to click; null where it can't be
      const el = controls[index];
      if (!el?.isConnected || !usable(el)) return null;
      el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      take();
      fields = state();
      pictures = drawn();
      scrolled = place();
      const box = el.getClientRects()[0] ?? el.getBoundingClientRect();
      const x = Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1);
      const y = Math.min(Math.max(box.top + box.height / 2, 1), innerHeight - 1);
      const hit = document.elementFromPoint(x, y);
      const isReached = hit && (el.contains(hit) || hit.contains(el)
        || el.labels && [...el.labels].some((one) => one.contains(hit)));
      return { x, y, isReached: Boolean(isReached) };
    },
    fill() { // the empty fields, as if typed; says whether there were any
      let isAny = false;
      for (const el of [...document.querySelectorAll(FIELDS)].slice(0, 100)) {
        if (el.value !== "" || el.readOnly || !usable(el)) continue;
        el.value = filling(el);
        if (el.value === "") continue;
        isAny = true;
        el.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
        el.dispatchEvent(new Event("change", { bubbles: true }));
      }
      return isAny;
    },
    push(index) { controls[index].click(); return true; },
    effect() {
      take();
      const isAltered = records.some(({ target }) => !isRestless(target))
        || state() !== fields
        || [...drawn()].some(([one, picture]) =>
          !restless.has(one) && pictures.get(one) !== picture);
      // A click that only alters a moving picture can't be told from one that does nothing.
      return { changed: isAltered, moved: place() !== scrolled, unsure: isRestlessPicture };
    },
  };
})();
true;
