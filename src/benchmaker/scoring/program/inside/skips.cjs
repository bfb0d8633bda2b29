"use strict";
/* Tests in JavaScript that are skipped, or still to be done, because of a value of the program: their
   text names one where the decision is made. */

const DECISION = String.raw`\.(?:skip|todo)\s*\(`;
const OF_FRAMEWORK = /\b(?:test|it|describe|suite)\.(?:skip|todo)\s*\(/g;
const ASSIGNED = /\.(?:skip|todo)\s*=(?![=>])/;
const BODY = /=>|\bfunction\b/;

class Skips {
  /* values: the values of the program in the tests. */
  constructor(values) {
    this.values = values;
    this.code = values.code.replace(OF_FRAMEWORK, (text) => " ".repeat(text.length - 1) + "(");
    const direct = new RegExp(DECISION, "g");
    const deciders = values.functionsWith((text) => new RegExp(DECISION).test(text));
    this.decision = deciders.length ? new RegExp(`${DECISION}|(?<![.\\w$])(?:${deciders.map(literal).join("|")})\\s*\\(`, "g")
      : direct;
    this.isAnyDoubtful = ASSIGNED.test(this.code) || this.isHookDoubtful();
  }

  /* True if a value of the program may be why the test at a place did not count; lines from 1. */
  isDoubtful(line, column) {
    if (this.isAnyDoubtful || !(line > 0)) return this.values.isIn(this.code);
    const offset = this.code.split("\n").slice(0, line - 1).join("\n").length + (line > 1) + column - 1;
    const start = Math.max(...[..."\n;{}"].map((sign) => this.code.lastIndexOf(sign, offset - 1))) + 1;
    const open = this.code.indexOf("(", offset);
    const text = this.code.slice(start, open < 0 ? offset : this.values.endOf(open));
    return this.values.isIn(text.slice(0, this.endOfDecision(text)));
  }

  /* The end of a call's last decision: in its body, or else in its options. */
  endOfDecision(text) {
    const last = [...text.matchAll(this.decision)].at(-1);
    if (last) return this.endOfCall(text, last);
    const body = BODY.exec(text);
    return body ? body.index : text.length;
  }

  endOfCall(text, found) {
    let depth = 0;
    for (let at = found.index + found[0].length - 1; at < text.length; at += 1) {
      depth += (text[at] === "(") - (text[at] === ")");
      if (depth === 0) return at;
    }
    return text.length;
  }

  /* True if a hook, or a function that decides for several tests, names a value of the program. */
  isHookDoubtful() {
    const blocks = this.values.hooks();
    return blocks.some((text) => {
      const last = [...text.matchAll(this.decision)].at(-1);
      return last !== undefined && this.values.isIn(text.slice(0, this.endOfCall(text, last)));
    });
  }
}

function literal(name) {
  return name.replace(/\$/g, "\\$");
}

module.exports = { Skips };
