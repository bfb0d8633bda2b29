"use strict";
/* The names of a program: those that it exports in any form, and those that it declares. */

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/* True for a program that is no ES module. */
function isScript(source) {
  return !/^\s*(?:import\s*[\w{*"'}]|export\s)/m.test(source);
}

function isObject(value) {
  return value !== null && ["object", "function"].includes(typeof value);
}

/* Names of a program, by its exports, its main export, and the value of an expression in its scope. */
class Names {
  constructor(of) {
    this.of = of;
  }

  /* The value of a name: of an export, of a declaration, or the exported function of this name. */
  valueOf(name) {
    const all = this.of.exports();
    if (isObject(all) && Object.hasOwn(all, name)) return all[name];
    if (this.isDeclared(name)) return this.of.evaluate(name);
    return this.isOwnName(name) ? this.of.main() : undefined;
  }

  isDefined(name) {
    if (!IDENTIFIER.test(name)) return false;
    try {
      const all = this.of.exports();
      const isExported = isObject(all) && Object.hasOwn(all, name);
      return isExported || this.isDeclared(name) || this.isOwnName(name);
    } catch {
      return false;
    }
  }

  isDeclared(name) {
    try {
      return this.of.evaluate(`typeof ${name}`) !== "undefined";
    } catch {
      return false;
    }
  }

  isOwnName(name) {
    return typeof this.of.main() === "function" && this.of.main().name === name;
  }
}

module.exports = { Names, isScript };
