"use strict";
/* The values of the program in the source of tests in JavaScript, as far as its text shows. */

const { Calls, depthOf, endOfParentheses } = require("./calls.cjs");

const TOKEN = new RegExp([
  String.raw`//[^\n]*|/\*[\s\S]*?\*/`,
  String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`,
].join("|"), "g");
const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
const BLOCK = /(?<![.\w$])(?:test|it|describe|suite|before|after|beforeEach|afterEach)(?:\.\w+)?\s*\(/g;
const BOUND = /\b(?:const|let|var)\s+(?:\{([^}=]*)\}|\[([^\]=]*)\]|([\w$]+))\s*=|(?<![.\w$=!<>])([\w$]+)\s*=(?![=>])/g;
const HOOK = /(?<![.\w$])(?:before|after|beforeEach|afterEach)\s*\(/g;
const FUNCTION = /\bfunction\s*\*?\s*([\w$]+)\s*\(|\b(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|[\w$]+\s*=>)/g;
const OF_NODE = ["require", "module", "exports", "__filename", "__dirname"];
/* A place in the tests, and not in the file of this folder with the same name. */
const PLACE = /(?<!\/inside\/)tests\.[cm]js:(\d+):(\d+)/g;

class ProgramValues {
  constructor(tests, names) {
    const required = tests.split("\n").filter((line) => /\bsolution\b/.test(line));
    const own = names.filter((name) => !OF_NODE.includes(name));
    this.names = new Set([...own, ...required.flatMap(bound)]);
    this.code = tests.replace(TOKEN, (text) => text.replace(/[^\n]/g, " "));
    this.calls = new Calls(this.code);
    const statements = this.code.split(/;|\n/);
    for (let size = -1; size !== this.names.size;) {
      size = this.names.size;
      for (const text of statements) if (this.isIn(text)) bound(text).forEach((it) => this.names.add(it));
      this.functionsWith((text) => this.isIn(text)).forEach((it) => this.names.add(it));
    }
  }

  /* True if an error may come from a value of the program, or from code after a use of it: at the
     error's place in the tests, or at the calls that led to it. */
  mayBeUsedAt(error) {
    const places = [...String(error.stack).matchAll(PLACE)].map((it) => this.offsetOf(Number(it[1]), Number(it[2])));
    return !places.length || this.isNamedBefore(places[0]) || this.isPassedTo(places.reverse());
  }

  /* The place of a line and a column, both from 1. */
  offsetOf(line, column) {
    const before = this.code.split("\n").slice(0, line - 1);
    return before.reduce((sum, it) => sum + it.length + 1, 0) + column - 1;
  }

  /* True if the test, group or hook names a value up to the end of a statement; else its line. */
  isNamedBefore(place) {
    const start = this.startOfBlock(place);
    const from = start < 0 ? this.code.lastIndexOf("\n", place - 1) + 1 : start;
    return this.isIn(this.code.slice(from, start < 0 ? this.endOfLine(place) : this.endOfStatement(place)));
  }

  /* True if a value of the program is used in one of the functions around these places, before it
     calls the next one; the last place is that of the error. */
  isPassedTo(places) {
    let call = null;
    for (const [at, place] of places.entries()) {
      const around = this.calls.functionAround(place);
      const names = new Set([...this.names, ...(around && this.hasValues(around, call) ? around.parameters : [])]);
      const start = around ? around.body : this.calls.startOfStatement(0, place);
      const isLast = at === places.length - 1;
      const end = isLast ? this.endOfStatement(place) : this.calls.endOfEvaluated(start, place);
      if ((around || isLast) && namesIn(this.code.slice(start, end), names)) return true;
      call = { ...this.calls.callAt(place), names };
    }
    return false;
  }

  /* True if a function may have values of the program as its arguments: its call names one, or is
     unknown, as that of a callback, other than the callback of a test. */
  hasValues(around, call) {
    if (call === null) {
      const open = this.startOfBlock(around.start);
      return open < 0 || depthOf(this.code.slice(open + 1, around.start)) > 0;
    }
    const isInside = call.start <= around.start && around.start < call.end;
    const text = isInside ? this.calls.withoutBodies(call.start, call.end) : this.code.slice(call.start, call.end);
    return namesIn(text, call.names);
  }

  endOfLine(place) {
    const at = this.code.indexOf("\n", place);
    return at < 0 ? this.code.length : at;
  }

  /* The end of the statement of an error, or of its line. */
  endOfStatement(place) {
    const at = this.code.indexOf(";", place);
    return at < 0 ? this.endOfLine(place) : Math.min(at, this.endOfLine(place));
  }

  /* The start of the innermost test, group or hook around a place; -1 outside of all. */
  startOfBlock(place) {
    let start = -1;
    for (const found of this.code.matchAll(BLOCK)) {
      const open = found.index + found[0].length - 1;
      if (open < place && place < endOfParentheses(this.code, open)) start = open;
    }
    return start;
  }

  /* The names of the functions of the tests whose text fulfils a condition. */
  functionsWith(condition) {
    const found = [...this.code.matchAll(FUNCTION)];
    return found.filter((it) => condition(this.bodyAt(it))).map((it) => it[1] || it[2]);
  }

  /* The parameters and the body of a function, or the line of one without braces. */
  bodyAt(found) {
    const isArrow = found[0].endsWith(">");
    const rest = found.index + found[0].length;
    const after = isArrow ? rest : endOfParentheses(this.code, this.code.indexOf("(", found[1] ? rest - 1 : rest));
    const open = this.code.indexOf("{", after);
    const line = this.code.indexOf("\n", after);
    const isBlock = open >= 0 && (!isArrow || !this.code.slice(after, open).trim());
    const end = isBlock ? endOfParentheses(this.code, open) : line < 0 ? this.code.length : line;
    return this.code.slice(rest, end);
  }

  /* The texts of the hooks, which run beside each test. */
  hooks() {
    const opens = [...this.code.matchAll(HOOK)].map((it) => it.index + it[0].length - 1);
    return opens.map((open) => this.code.slice(open, this.endOf(open)));
  }

  endOf(open) {
    return endOfParentheses(this.code, open);
  }

  isIn(text) {
    return namesIn(text, this.names);
  }
}

function namesIn(text, names) {
  return (text.match(WORD) || []).some((word) => names.has(word));
}

/* The names that a statement binds, and the variable whose method it calls. */
function bound(text) {
  const names = [...text.matchAll(BOUND)].flatMap((it) => it.slice(1).filter(Boolean));
  const imported = /\bimport\s+([^;]*?)\sfrom\b/.exec(text);
  const filled = /(?:^|[;{])\s*([\w$]+)\.(?:push|set|add|unshift)\(/.exec(text);
  const found = [...names, imported ? imported[1] : "", filled ? filled[1] : ""].join(" ");
  return (found.match(WORD) || []).filter((word) => word !== "as");
}

module.exports = { ProgramValues };
