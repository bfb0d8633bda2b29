"use strict";
/* The values of the program in the source of tests in JavaScript, as far as its text shows. */

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
const PLACE = /tests\.[cm]js:(\d+):(\d+)/;

class ProgramValues {
  constructor(tests, names) {
    const required = tests.split("\n").filter((line) => /\bsolution\b/.test(line));
    const own = names.filter((name) => !OF_NODE.includes(name));
    this.names = new Set([...own, ...required.flatMap(bound)]);
    this.code = tests.replace(TOKEN, (text) => text.replace(/[^\n]/g, " "));
    const statements = this.code.split(/;|\n/);
    for (let size = -1; size !== this.names.size;) {
      size = this.names.size;
      for (const text of statements) if (this.isIn(text)) bound(text).forEach((it) => this.names.add(it));
      this.functionsWith((text) => this.isIn(text)).forEach((it) => this.names.add(it));
    }
  }

  /* True if an error may come from a value of the program, or from code after a use of it. */
  mayBeUsedAt(error) {
    const found = PLACE.exec(String(error.stack));
    if (!found) return true;
    const lines = this.code.split("\n");
    const offset = lines.slice(0, Number(found[1]) - 1).join("\n").length + 1;
    const line = lines[Number(found[1]) - 1] ?? "";
    const end = offset + line.length;
    const start = this.startOfBlock(offset + Number(found[2]) - 1);
    return this.isIn(start < 0 ? line : this.code.slice(start, this.endOfStatement(start, offset, found[2], end)));
  }

  /* The end of the statement of an error, or of its line. */
  endOfStatement(start, offset, column, end) {
    const at = this.code.indexOf(";", offset + Number(column) - 1);
    return at < 0 || at > end ? end : at;
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
    return (text.match(WORD) || []).some((word) => this.names.has(word));
  }
}

/* The names that a statement binds, and the variable whose method it calls. */
function bound(text) {
  const names = [...text.matchAll(BOUND)].flatMap((it) => it.slice(1).filter(Boolean));
  const imported = /\bimport\s+([^;]*?)\sfrom\b/.exec(text);
  const filled = /(?:^|[;{])\s*([\w$]+)\.(?:push|set|add|unshift)\(/.exec(text);
  const found = [...names, imported ? imported[1] : "", filled ? filled[1] : ""].join(" ");
  return (found.match(WORD) || []).filter((word) => word !== "as");
}

function endOfParentheses(code, open) {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    depth += "([{".includes(code[at]) - ")]}".includes(code[at]);
    if (depth === 0) return at;
  }
  return code.length;
}

module.exports = { ProgramValues };
