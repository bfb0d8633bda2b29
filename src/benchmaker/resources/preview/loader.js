// Runs modules that browsers cannot run as they are: TypeScript, JSX, components of Vue, imports
// of styles. What it runs stands in the page as JSON: path -> {language, text, links}.
(() => {
  "use strict";
  const { transform, topLevelNames } = window.BenchmakerSucrase;
  const held = document.getElementById("benchmaker-files");
  const files = held ? JSON.parse(held.textContent) : {};
  for (const element of [held, document.currentScript]) if (element) element.remove();
  const modules = new Map();
  const packages = {
    react: () => window.React,
    "react-dom": () => window.ReactDOM,
    "react-dom/client": () => window.ReactDOM,
    "react/jsx-runtime": () => window.ReactJSXRuntime,
    "react/jsx-dev-runtime": () => window.ReactJSXRuntime,
    vue: () => window.Vue,
  };
  const environment = { env: { NODE_ENV: "production" } };
  const meta = { env: { MODE: "production", DEV: false, PROD: true, BASE_URL: "/" }, url: "" };

  // --- modules ---------------------------------------------------------------------------------

  const bare = (specifier) => {
    const named = specifier
      .replace(/^https?:\/\/[^/]+\/(?:npm\/|stable\/|v\d+\/|npm:)?/, "")
      .replace(/\?.*$/, "")
      .replace(/^((?:@[\w.-]+\/)?[\w.-]+)@[^/]*/, "$1");
    const found = packages[specifier] ?? packages[named] ?? packages[named.split("/")[0]];
    const value = found && found();
    if (!value) {
      throw new Error(`Cannot find module '${specifier}': it is not among the libraries of previews`);
    }
    return value;
  };

  const requireFrom = (path) => (specifier) => {
    const target = (files[path]?.links ?? {})[specifier];
    if (target !== undefined) return load(target);
    // A style or an image that is missing is listed as such; the component goes on without it.
    if (/^[.@~/].*\.(?:css|scss|sass|less)$/.test(specifier)) return {};
    if (/^[.@~/].*\.(?:svg|png|jpe?g|gif|webp|avif|ico)$/.test(specifier)) {
      return { __esModule: true, default: specifier };
    }
    if (/^[./~]|^@\//.test(specifier)) {
      throw new Error(`Cannot find module '${specifier}' from '${path}': the answer has no such file`);
    }
    return bare(specifier);
  };

  const load = (path) => {
    if (!modules.has(path)) {
      const module = { exports: {} };
      modules.set(path, module);
      const file = files[path];
      const how = kinds[file.language] ?? asText;
      how(path, file, module);
    }
    return modules.get(path).exports;
  };

  const asDefault = (module, value, more = {}) => {
    module.exports = { __esModule: true, ...more, default: value };
  };
  const asText = (_, file, module) => asDefault(module, file.text);
  const asJson = (_, file, module) => {
    const value = JSON.parse(file.text);
    asDefault(module, value, typeof value === "object" && value !== null ? value : {});
  };
  const asImage = (_, file, module) => {
    asDefault(module, `data:image/svg+xml,${encodeURIComponent(file.text)}`);
  };
  const asStyle = (_, file, module) => {
    addStyle(file.text);
    asDefault(module, new Proxy({}, { get: (_target, name) => String(name) }));
  };
  const asScript = (path, file, module) => {
    runScript(path, translated(file.text, file.language, path), module);
  };
  const asVue = (path, file, module) => asDefault(module, vueComponent(path, file.parts));
  const kinds = {
    js: asScript, jsx: asScript, ts: asScript, tsx: asScript, vue: asVue,
    css: asStyle, scss: asStyle, json: asJson, svg: asImage,
  };

  const transformsOf = (language) => [
    ...(language === "ts" || language === "tsx" ? ["typescript"] : []),
    ...(language === "ts" ? [] : ["jsx"]),
  ];

  const translated = (text, language, path, { imports = true } = {}) => transform(text, {
    transforms: [...transformsOf(language), ...(imports ? ["imports"] : [])],
    jsxRuntime: "classic",
    production: true,
    filePath: path,
  }).code;

  const runScript = (path, code, module, more = {}) => {
    const values = {
      require: requireFrom(path),
      module,
      exports: module.exports,
      process: environment,
      __meta: meta,
      ...more,
    };
    const body = code.replace(/\bimport\.meta\b/g, "__meta");
    const run = new Function(...Object.keys(values), `"use strict"; {\n${body}\n}\n//# sourceURL=${path}`);
    return run(...Object.values(values));
  };

  // Tailwind reads styles of its own type; its older directives mean an import by now.
  const addStyle = (text) => {
    const style = document.createElement("style");
    if (/@(?:tailwind|apply|theme|layer)\b|@import\s+["']tailwindcss/.test(text)) {
      style.type = "text/tailwindcss";
    }
    style.textContent = text
      .replace(/@tailwind\s+base\s*;/, '@import "tailwindcss";')
      .replace(/@tailwind\s+\w+\s*;/g, "");
    document.head.append(style);
  };

  // --- components of Vue -----------------------------------------------------------------------

  const vueComponent = (path, parts) => {
    const blocks = (name) => parts.filter((part) => part.name === name);
    blocks("style").forEach((part) => addStyle(part.text));
    const [template] = blocks("template");
    const isSetup = (part) => "setup" in part.attributes;
    const plain = blocks("script").find((part) => !isSetup(part));
    const setup = blocks("script").find(isSetup);
    const made = { __name: path.split("/").pop().replace(/\.vue$/, "") };
    if (plain) {
      const module = { exports: {} };
      const language = plain.attributes.lang ?? "js";
      runScript(path, translated(plain.text, language, path), module);
      Object.assign(made, module.exports.default ?? module.exports);
    }
    if (setup) Object.assign(made, setupOptions(path, setup));
    if (template && !made.render) made.template = template.text;
    return made;
  };

  const IMPORT = /^[ \t]*import\s*(?:([\w$]+)\s*,?\s*)?(?:\*\s*as\s+([\w$]+)\s*|\{([^}]*)\}\s*)?(?:from\s*)?(["'])([^"'\n]+)\4[ \t]*;?/gm;

  // `import a, {b as c} from "x"` as a statement that works within a function, and the names.
  const liftImports = (code) => {
    const names = [];
    const lifted = [];
    const rest = code.replace(IMPORT, (_, whole, all, some, _quote, specifier) => {
      const from = `require(${JSON.stringify(specifier)})`;
      const value = `__module(${from})`;
      const kept = (some ?? "").split(",").map((it) => it.trim()).filter(Boolean)
        .map((it) => it.replace(/^type\s+/, "").split(/\s+as\s+/));
      if (whole) kept.push(["default", whole]);
      if (all) lifted.push(`const ${all} = ${from};`);
      else if (kept.length) {
        lifted.push(`const { ${kept.map(([a, b = a]) => `${a}: ${b}`).join(", ")} } = ${value};`);
      } else lifted.push(`${from};`);
      names.push(...kept.map(([a, b = a]) => b), ...(all ? [all] : []));
      return "";
    });
    return { names, lifted: lifted.join(" "), rest };
  };

  const interop = (value) => (value && value.__esModule ? value : { ...value, default: value });

  // The text between brackets that open at `at`.
  const bracketed = (code, at, [open, close] = "()") => {
    let depth = 0;
    for (let i = at; i < code.length; i += 1) {
      if (code[i] === open) depth += 1;
      else if (code[i] === close && code[i - 1] !== "=" && (depth -= 1) === 0) return code.slice(at + 1, i);
    }
    return "";
  };

  const argumentOf = (code, macro) => {
    const call = new RegExp(`\\b${macro}\\s*\\(`).exec(code);
    return call ? bracketed(code, call.index + call[0].length - 1).trim() : "";
  };

  // The properties that `defineProps<{...}>()` declares by their types.
  const typedProps = (source) => {
    const call = /\bdefineProps\s*</.exec(source);
    if (!call) return null;
    let type = bracketed(source, call.index + call[0].length - 1, "<>").trim();
    const named = /^[\w$]+$/.test(type)
      && new RegExp(`(?:interface\\s+${type}\\b[^{]*|type\\s+${type}\\s*=\\s*)\\{`).exec(source);
    if (named) type = `{${bracketed(source, named.index + named[0].length - 1, "{}")}}`;
    const found = {};
    for (const [, name, kind] of type.matchAll(/(?:^|[{;,\n])\s*(?:readonly\s+)?([\w$]+)\??\s*:\s*(\w+)?/g)) {
      found[name] = kind === "boolean" ? { type: Boolean } : {};
    }
    return found;
  };

  const setupOptions = (path, part) => {
    const language = part.attributes.lang ?? "js";
    const code = transform(part.text, {
      transforms: transformsOf(language === "js" ? "jsx" : language),
      keepUnusedImports: true,
      production: true,
      filePath: path,
    }).code;
    const { names, lifted, rest } = liftImports(code);
    const declared = topLevelNames(rest, { isJSX: language !== "ts" });
    const require = requireFrom(path);
    const evaluate = (text) => (text
      ? runScript(path, `${lifted} return (${text});`, { exports: {} }, { require, __module: interop })
      : undefined);
    const props = typedProps(part.text) ?? evaluate(argumentOf(rest, "defineProps")) ?? {};
    const listed = Array.isArray(props) ? Object.fromEntries(props.map((it) => [it, null])) : { ...props };
    for (const [name, value] of Object.entries(evaluate(withDefaults(rest)) ?? {})) {
      listed[name] = { ...listed[name], default: value };
    }
    const emits = evaluate(argumentOf(rest, "defineEmits"));
    for (const [, name] of rest.matchAll(/\bdefineModel\s*\(\s*(?:["']([\w$]+)["'])?/g)) {
      listed[name ?? "modelValue"] = null;
    }
    const returned = [...new Set([...names, ...declared])];
    const body = `${lifted}\n${rest}\nreturn { ${returned.join(", ")} };`;
    const imported = Object.fromEntries(names.filter((it) => /^[A-Z]/.test(it)).map((it) => [it, evaluate(it)]));
    const directives = declared.concat(names).filter((it) => /^v[A-Z]/.test(it));
    return {
      props: listed,
      ...(emits ? { emits } : {}),
      ...(evaluate(argumentOf(rest, "defineOptions")) ?? {}),
      components: imported,
      directives: Object.fromEntries(directives.map((it) => [it[1].toLowerCase() + it.slice(2), {
        beforeMount: (...given) => given[1].instance.$.setupState[it]?.beforeMount?.(...given),
        mounted: (...given) => {
          const directive = given[1].instance.$.setupState[it];
          return typeof directive === "function" ? directive(...given) : directive?.mounted?.(...given);
        },
      }])),
      setup: (given, context) => runScript(path, body, { exports: {} }, {
        require,
        __module: interop,
        defineProps: () => given,
        withDefaults: () => given,
        defineEmits: () => context.emit,
        defineExpose: context.expose,
        defineOptions: () => {},
        defineSlots: () => context.slots,
        defineModel: (name) => window.Vue.useModel(given, typeof name === "string" ? name : "modelValue"),
      }),
    };
  };

  const withDefaults = (code) => {
    const given = argumentOf(code, "withDefaults");
    const inner = /^defineProps\s*\(/.exec(given);
    if (!inner) return "";
    const skipped = bracketed(given, inner[0].length - 1).length + inner[0].length + 1;
    return given.slice(skipped).replace(/^\s*,/, "").replace(/,\s*$/, "");
  };

  // --- starting --------------------------------------------------------------------------------

  // A component that is declared and not exported is shown, too: the last with a capital letter.
  const exposeLast = (path) => {
    const file = files[path];
    if (!transformsOf(file.language).length || file.language === "vue") return;
    const names = topLevelNames(file.text, {
      isTypeScript: file.language === "ts" || file.language === "tsx",
      isJSX: file.language !== "ts",
    }).filter((name) => /^[A-Z][a-z]/.test(name) && !new RegExp(`\\b(?:interface|type|enum)\\s+${name}\\b`).test(file.text));
    const chosen = names.includes("App") ? "App" : names.at(-1);
    if (chosen && !/\bexport\b|\bmodule\.exports\b/.test(file.text)) file.text += `\nexport default ${chosen};`;
  };

  const shown = (exported) => {
    const values = Object.entries(exported).filter(([name]) => name !== "__esModule");
    const fitting = values.filter(([name, value]) => /^[A-Z]/.test(name)
      && (typeof value === "function" || (typeof value === "object" && value !== null)));
    return exported.default ?? fitting.at(-1)?.[1] ?? (typeof exported === "function" ? exported : undefined);
  };

  const place = (...ids) => ids.map((id) => document.getElementById(id)).find(Boolean) ?? document.body;

  const show = (path, how) => {
    const component = shown(load(path));
    if (!component) throw new Error(`'${path}' exports no component`);
    if (how === "vue") window.Vue.createApp(component).mount(place("app", "root"));
    else {
      const { React, ReactDOM } = window;
      ReactDOM.createRoot(place("root", "app")).render(React.createElement(component));
    }
  };

  // --- scripts of type text/babel --------------------------------------------------------------

  const runBabel = (element) => {
    const language = /typescript/.test(element.dataset.presets ?? "") ? "tsx" : "jsx";
    const text = element.textContent;
    const isModule = element.dataset.type === "module" || /^\s*(?:import|export)\b/m.test(text);
    if (isModule) {
      runScript("inline", translated(text, language, "inline"), { exports: {} });
      return;
    }
    const script = document.createElement("script");
    script.textContent = translated(text, language, "inline", { imports: false });
    document.head.append(script);
    script.remove();
  };

  const reporting = (run) => {
    try { return run(); } catch (error) { reportError(error); return undefined; }
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll('script[type="text/babel"], script[type="text/jsx"]')
      .forEach((element) => reporting(() => runBabel(element)));
  });

  window.Babel ??= {
    transform: (text, { presets = [] } = {}) => ({
      code: translated(text, presets.flat().includes("typescript") ? "tsx" : "jsx", "inline", {
        imports: presets.flat().includes("env"),
      }),
    }),
    transformScriptTags: () => {},
    registerPreset: () => {},
    registerPlugin: () => {},
    availablePresets: {},
    availablePlugins: {},
  };

  window.Benchmaker = {
    start: (path, how) => reporting(() => {
      if (how) exposeLast(path);
      return how ? show(path, how) : load(path);
    }),
  };
})();
