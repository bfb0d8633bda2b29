"use strict";
/* The process of the program in JavaScript: runs the answer's code, and calls its functions for the
   tests. It is as little trusted as the code it runs. */

const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const vm = require("node:vm");
const { pathToFileURL } = require("node:url");
const { Link, LinkBroken, encode, decode } = require("./link.cjs");
const { Names, isScript } = require("./names.cjs");

const link = new Link();
const objects = [];
const numbers = new Map();
const SCOPE = "benchmakerScope";
/* The module of the program, which is not the main one. */
const own = new Module(path.resolve("solution.js"));
const names = new Names({
  exports: () => own.exports,
  main: () => own.exports,
  evaluate: (source) => vm.runInThisContext(source),
});

function refer(value) {
  if (foreign.has(value)) return ["own", foreign.get(value)];
  if (numbers.has(value)) return ["object", numbers.get(value)];
  const number = objects.length;
  numbers.set(value, number);
  objects.push(value);
  if (value instanceof Promise) value.catch(() => {}); // the tests may handle it later
  return ["object", number, kindOf(value), hasIterator(value)];
}

function kindOf(value) {
  if (typeof value === "symbol") return "symbol";
  if (typeof value === "function") return "function";
  return typeof value.then === "function" ? "promise" : "object";
}

function hasIterator(value) {
  if (typeof value === "symbol") return "";
  if (typeof value[Symbol.asyncIterator] === "function") return "async";
  return typeof value[Symbol.iterator] === "function" ? "sync" : "";
}

const foreign = new Map();
const callbacks = [];

function resolve([tag, number]) {
  if (tag === "object") return objects[number];
  if (!callbacks[number]) {
    const call = (...args) => ask(number, args);
    callbacks[number] = call;
    foreign.set(call, number);
  }
  return callbacks[number];
}

function ask(number, args) {
  link.send(["callback", number, encode(args, refer)]);
  for (;;) {
    const reply = link.receive();
    if (reply[0] === "result") return decode(reply[1], resolve);
    if (reply[0] === "error") throw new Error(reply[1]);
    link.send(answerNow(reply));
  }
}

const ACTIONS = {
  names: (wanted) => wanted.filter((name) => names.isDefined(name)),
  name: (name) => names.valueOf(name),
  exports: () => names.of.exports(),
  get: (value, key) => value[key],
  set: (value, key, item) => { value[key] = item; },
  has: (value, key) => key in value,
  delete: (value, key) => delete value[key],
  keys: (value) => Reflect.ownKeys(value).filter((key) => typeof key === "string"),
  is_enumerable: (value, key) => Object.prototype.propertyIsEnumerable.call(value, key),
  prototype: (value) => Object.getPrototypeOf(value),
  call: (value, self, args) => Reflect.apply(value, self, args),
  new: (value, args) => Reflect.construct(value, args),
  iterate: (value, kind) => value[kind === "async" ? Symbol.asyncIterator : Symbol.iterator](),
  await: (value) => value,
};

async function load(source) {
  Object.assign(globalThis, { module: own, exports: own.exports, require });
  if (isScript(source)) {
    fs.writeFileSync("solution.js", source);
    vm.runInThisContext(source, { filename: "solution.js" });
  } else {
    fs.writeFileSync("solution.mjs", `${source}\nexport const ${SCOPE} = (it) => eval(it);\n`);
    const { [SCOPE]: evaluate, ...all } = await import(pathToFileURL(path.resolve("solution.mjs")).href);
    names.of = { exports: () => all, main: () => all.default, evaluate };
  }
  return true;
}

function answerNow(request) {
  let args = [];
  let before = [];
  try {
    const words = request.slice(1).map((word) => decode(word, resolve));
    args = request[0] === "call" ? words[2] : request[0] === "new" ? words[1] : [];
    before = args.map(written);
    const result = ACTIONS[request[0]](...words);
    return ["ok", valueOf(result, args), changes(args, before)];
  } catch (error) {
    return ["raised", errorOf(error), changes(args, before)];
  }
}

/* The value of a promise, or an error once nothing is left to do that could settle it. */
let giveUp = () => {};
process.on("beforeExit", () => giveUp());

function settled(value) {
  const never = new Promise((_, fail) => { giveUp = () => fail(new Error("an awaited promise never settled")); });
  return Promise.race([value, never]).finally(() => { giveUp = () => {}; });
}

async function answer(request) {
  if (request[0] !== "await" && request[0] !== "load") return answerNow(request);
  try {
    const words = request.slice(1).map((word) => decode(word, resolve));
    const result = await (request[0] === "load" ? load(words[0]) : settled(words[0]));
    return ["ok", encode(result, refer), []];
  } catch (error) {
    return ["raised", errorOf(error), []];
  }
}

function valueOf(result, args) {
  const at = typeof result === "object" && result !== null ? args.indexOf(result) : -1;
  return at < 0 ? encode(result, refer) : ["argument", at];
}

function errorOf(error) {
  const isError = error instanceof Error;
  const own = isError ? String(error.stack || "").split("\n").find((it) => /solution\.m?js/.test(it)) : "";
  const place = own ? (/solution\.m?js:\d+/.exec(own) || [""])[0] : "";
  return [encode(error, refer), isError ? String(error.name) : "", isError ? String(error.message) : "",
    place];
}

function written(value) {
  if (typeof value !== "object" || value === null) return null;
  try {
    const data = encode(value, refer);
    return data[0] === "object" ? null : JSON.stringify(data);
  } catch {
    return null;
  }
}

function changes(args, before) {
  const found = [];
  before.forEach((old, at) => {
    const now = old === null ? null : written(args[at]);
    if (now !== null && now !== old) found.push([at, JSON.parse(now)]);
  });
  return found;
}

process.on("uncaughtException", () => process.exit(1));

async function serve() {
  link.send(["ready"]);
  for (;;) link.send(await answer(await link.receiveLater()));
}

serve().catch((error) => process.exit(error instanceof LinkBroken ? 0 : 1));
