// Stands before Tailwind 4 where a page asks for an older one: hands `tailwind.config = {…}` on as
// a theme, and keeps the border colour that was the default.
(() => {
  "use strict";
  const style = document.createElement("style");
  style.type = "text/tailwindcss";
  const base = '@import "tailwindcss";\n@layer base { *, ::after, ::before, ::backdrop { border-color: var(--color-gray-200, currentColor); } button:not(:disabled), [role="button"]:not(:disabled) { cursor: pointer; } }\n';
  const names = {
    colors: "color", spacing: "spacing", fontFamily: "font", fontSize: "text", screens: "breakpoint",
    borderRadius: "radius", boxShadow: "shadow", animation: "animate", lineHeight: "leading",
    letterSpacing: "tracking", maxWidth: "container", fontWeight: "font-weight",
    transitionTimingFunction: "ease", blur: "blur",
  };

  const variables = (prefix, value) => {
    if (typeof value === "function") return [];
    if (Array.isArray(value)) {
      const text = prefix.startsWith("--text-") ? String(value[0]) : value.join(", ");
      return [[prefix, text]];
    }
    if (typeof value === "object" && value !== null) {
      return Object.entries(value).flatMap(([key, inner]) => variables(
        key === "DEFAULT" ? prefix : `${prefix}-${key.replace(/[^\w-]/g, "\\$&")}`, inner,
      ));
    }
    return [[prefix, String(value)]];
  };

  const keyframes = (frames) => Object.entries(frames ?? {}).map(([name, steps]) => {
    const body = Object.entries(steps).map(([at, rules]) => {
      const lines = Object.entries(rules).map(([key, value]) => (
        `${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${value};`));
      return `${at} { ${lines.join(" ")} }`;
    });
    return `@keyframes ${name} { ${body.join(" ")} }`;
  });

  const themed = (theme) => {
    const { extend = {}, ...own } = theme ?? {};
    const all = [own, extend].flatMap((given) => Object.entries(names).flatMap(([name, prefix]) => (
      given[name] ? variables(`--${prefix}`, given[name]) : [])));
    const frames = [...keyframes(own.keyframes), ...keyframes(extend.keyframes)];
    return `@theme {\n${all.map(([name, value]) => `  ${name}: ${value};`).join("\n")}\n${frames.join("\n")}\n}\n`;
  };

  const write = (config = {}) => {
    const mode = [config.darkMode].flat()[0];
    const dark = mode === "class" || mode === "selector"
      ? "@custom-variant dark (&:where(.dark, .dark *));\n" : "";
    style.textContent = base + dark + themed(config.theme);
  };

  let current = {};
  window.tailwind = {
    get config() { return current; },
    set config(given) { current = given ?? {}; write(current); },
  };
  write();
  document.head.append(style);

  // Styles of the page's own for Tailwind count as they did: their directives are the import above.
  const adapt = (element) => {
    if (element !== style && element.type === "text/tailwindcss" && /@tailwind\b/.test(element.textContent)) {
      element.textContent = element.textContent.replace(/@tailwind\s+\w+\s*;/g, "");
    }
  };
  new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach((node) => {
    if (node.nodeName === "STYLE") adapt(node);
  }))).observe(document.documentElement, { childList: true, subtree: true });
})();
