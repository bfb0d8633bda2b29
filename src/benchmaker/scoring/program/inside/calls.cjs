"use strict";
/* The functions and calls in the source of tests in JavaScript, as far as its text shows. Comments and
   plain strings in it are blank. */

const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
const KEYWORDS = "if|for|while|switch|catch|with|return|await|new|typeof|function";
const NAMED = new RegExp(String.raw`\bfunction\b\s*\*?\s*[\w$]*\s*\(|(?<![.\w$])(?!(?:${KEYWORDS})\b)[\w$]+\s*\(`, "g");
const IN_WORD = /[\p{ID_Continue}$]/u;

class Calls {
  constructor(code) {
    this.code = code;
    this.functions = [...this.namedFunctions(), ...this.arrows()];
  }

  /* The innermost function whose body holds a place; null outside of all. */
  functionAround(place) {
    const around = this.functions.filter((it) => it.body <= place && place < it.end);
    return around.reduce((found, it) => (found && found.body > it.body ? found : it), null);
  }

  /* The start of the statement at a place in a body that starts at ``from``, or in its block. */
  startOfStatement(from, place) {
    let start = from;
    for (let at = from, depth = 0; at < place; at += 1) {
      depth += depthOf(this.code[at]);
      if (depth === 0 && this.isEnd(at)) start = at + 1;
    }
    return start;
  }

  /* The end of what is evaluated in a body before the call at a place: up to the calls around it. */
  endOfEvaluated(from, place) {
    const { start } = this.callAt(place);
    const open = [];
    for (let at = from; at < start; at += 1) {
      if ("([".includes(this.code[at])) open.push(at);
      if (")]".includes(this.code[at])) open.pop();
    }
    return open.length ? this.startOfOperand(open[0]) : start;
  }

  isEnd(at) {
    const isNewLine = this.code[at] === "\n" && !/^\s*[.?:)&|+]/.test(this.code.slice(at + 1));
    return this.code[at] === ";" || isNewLine;
  }

  /* The call whose name, new or await stands at a place, from its first receiver on. */
  callAt(place) {
    let end = place;
    for (const word of ["await", "new"]) {
      if (this.code.startsWith(`${word} `, end)) end += word.length + 1;
    }
    while (end < this.code.length && /[\p{ID_Continue}$.\s]/u.test(this.code[end])) end += 1;
    if (this.code[end] === "(") end = endOfParentheses(this.code, end) + 1;
    return { start: this.startOfReceiver(place), end };
  }

  startOfReceiver(place) {
    let start = place;
    for (;;) {
      const dot = /\??\.\s*$/.exec(this.code.slice(0, start).slice(-200));
      if (!dot) return start;
      start = this.startOfOperand(start - dot[0].length);
    }
  }

  /* The start of a name, with its calls and indices, that ends before a place. */
  startOfOperand(end) {
    let start = end;
    while (start > 0 && /\s/.test(this.code[start - 1])) start -= 1;
    for (;;) {
      if (")]".includes(this.code[start - 1] || " ")) start = startOfParentheses(this.code, start - 1);
      else if (IN_WORD.test(this.code[start - 1] || " ")) start -= 1;
      else return start;
    }
  }

  /* The text of a range without the bodies of the functions in it. */
  withoutBodies(start, end) {
    const inside = this.functions.filter((it) => start <= it.body && it.end <= end);
    const isOutside = (at) => !inside.some((it) => it.body <= at && at < it.end);
    return this.code.slice(start, end).split("").filter((_, at) => isOutside(start + at)).join("");
  }

  /* Functions with a name or the word, and methods. */
  namedFunctions() {
    const found = [...this.code.matchAll(NAMED)].map((it) => {
      const open = it.index + it[0].length - 1;
      const close = endOfParentheses(this.code, open);
      const brace = close + 1 + /^\s*/.exec(this.code.slice(close + 1))[0].length;
      const end = endOfParentheses(this.code, brace);
      return { start: it.index, body: brace + 1, end, parameters: this.words(open, close) };
    });
    return found.filter((it) => this.code[it.body - 1] === "{");
  }

  arrows() {
    return [...this.code.matchAll(/=>\s*/g)].map((it) => {
      const before = this.code.slice(0, it.index).trimEnd().length;
      const start = this.startOfOperand(before);
      const after = it.index + it[0].length;
      const isBlock = this.code[after] === "{";
      const end = isBlock ? endOfParentheses(this.code, after) : endOfExpression(this.code, after);
      return { start, body: after + isBlock, end, parameters: this.words(start, before) };
    });
  }

  words(start, end) {
    return this.code.slice(start, end).match(WORD) || [];
  }
}

/* The number of parentheses that a text opens, less those that it closes. */
function depthOf(text) {
  return [...text].reduce((depth, it) => depth + "([{".includes(it) - ")]}".includes(it), 0);
}

function endOfParentheses(code, open) {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    depth += depthOf(code[at]);
    if (depth === 0) return at;
  }
  return code.length;
}

function startOfParentheses(code, close) {
  let depth = 0;
  for (let at = close; at > 0; at -= 1) {
    depth += depthOf(code[at]);
    if (depth === 0) return at;
  }
  return 0;
}

function endOfExpression(code, start) {
  let depth = 0;
  for (let at = start; at < code.length; at += 1) {
    depth += depthOf(code[at]);
    if (depth < 0 || (depth === 0 && ",;".includes(code[at]))) return at;
  }
  return code.length;
}

module.exports = { Calls, depthOf, endOfParentheses };
