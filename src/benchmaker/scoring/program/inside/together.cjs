"use strict";
/* The tests in JavaScript with the program in their process, as with plain node. Nothing keeps the
   program from forging the report, so that a success here is not proof of anything. */

const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { Names, isScript } = require("./names.cjs");
const { readPlan, runTests } = require("./harness.cjs");

const SCOPE = "benchmakerScope";
const PLACE = /\/program\/(solution\.c?m?js:\d+)/;
const names = new Names({});

const program = {
  isCounted: false,
  url: "",
  load,
  names: (wanted) => wanted.filter((name) => names.isDefined(name)),
  value: (name) => names.valueOf(name),
  exports: () => names.of.exports(),
  isRemote: () => false,
  isItsOwn: (error) => placeOf(error) !== "",
  placeOf,
};

/* The program's file has a folder of its own, beside the stand-ins that tests import. */
async function load(source) {
  const isModule = !isScript(source);
  const file = path.resolve("program", isModule ? "solution.mjs" : "solution.js");
  fs.mkdirSync("program");
  fs.writeFileSync(path.resolve("program", "package.json"), "{}");
  fs.writeFileSync(file, `${source}\n;globalThis.${SCOPE} = (it) => eval(it);\n`);
  const url = pathToFileURL(file).href;
  const every = globalThis.setInterval;
  globalThis.setInterval = (...args) => every(...args).unref(); // apart, it does not hold the tests
  const all = isModule ? await import(url) : require(file);
  globalThis.setInterval = every;
  const evaluate = globalThis[SCOPE];
  delete globalThis[SCOPE];
  names.of = { exports: () => all, main: () => (isModule ? all.default : all), evaluate };
  program.url = isModule ? url : "";
}

/* The innermost line of the program in the stack of an error. */
function placeOf(error) {
  const stack = error instanceof Error ? String(error.stack) : "";
  return (PLACE.exec(stack) || ["", ""])[1];
}

runTests(program, readPlan()).catch((error) => {
  process.stderr.write(String(error));
  process.exitCode = 1;
});
