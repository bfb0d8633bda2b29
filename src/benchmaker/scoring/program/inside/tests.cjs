"use strict";
/* The process of the tests in JavaScript: runs them against the program, and reports the verdict.

   It runs in a sandbox of its own. Only plain values come from the program; any other object stays
   there, and the tests hold a proxy for it. Nobody else can write to the verdict pipe. */

const { Link, LinkBroken, encode, decode } = require("./link.cjs");
const { report, describe, readPlan, runTests } = require("./harness.cjs");

/* Requests by which the tests use the program, other than by naming its objects. */
const USES = ["call", "new", "iterate", "await"];

const link = new Link();
const remotes = new Map();
const numbers = new Map();
const functions = [];
const ofProgram = new WeakSet();
function broken(error) {
  if (!(error instanceof LinkBroken)) return error;
  report.problem = report.problem || error.message;
  return error;
}

function request(action, args, ...words) {
  if (report.problem) throw new LinkBroken(report.problem);
  report.is_checked ||= USES.includes(action);
  const data = words.map((word) => encode(word, refer));
  try {
    link.send([action, ...data]);
    for (;;) {
      const reply = link.receive();
      if (reply[0] !== "callback") return take(reply, args);
      link.send(callBack(reply));
    }
  } catch (error) {
    throw broken(error);
  }
}

function take(reply, args) {
  let value;
  try {
    for (const [at, data] of reply[2]) update(args[at], decode(data, resolve));
    if (reply[0] === "ok") {
      if (Array.isArray(reply[1]) && reply[1][0] === "argument") return args[reply[1][1]];
      return decode(reply[1], resolve);
    }
    value = errorOf(reply[1]);
    if (value instanceof Error) ofProgram.add(value);
  } catch {
    throw new LinkBroken("the program sent invalid data");
  }
  throw value;
}

function callBack([, number, data]) {
  try {
    const result = functions[number](...decode(data, resolve));
    return ["result", encode(result, refer)];
  } catch (error) {
    if (error instanceof LinkBroken) throw error;
    return ["error", String((error && error.message) || error).slice(0, 2000)];
  }
}

function refer(value) {
  if (numbers.has(value)) return ["object", numbers.get(value)];
  if (typeof value !== "function") {
    const name = (value && value.constructor && value.constructor.name) || typeof value;
    report.unsendable = report.unsendable || `the tests pass an object of the type ${name}, which can't be sent`;
    throw new LinkBroken(report.unsendable);
  }
  let at = functions.indexOf(value);
  if (at < 0) at = functions.push(value) - 1;
  return ["foreign", at];
}

function resolve([tag, number, kind, iterator]) {
  if (!Number.isInteger(number) || number < 0) throw new LinkBroken("the program sent invalid data");
  if (tag === "own") return functions[number];
  if (tag !== "object") throw new LinkBroken("the program sent invalid data");
  if (!remotes.has(number)) {
    const made = kind === "symbol" ? Symbol("of the program") : remote(number, kind, iterator);
    remotes.set(number, made);
    if (kind !== "promise") numbers.set(made, number);
  }
  return remotes.get(number);
}

/* Stands for an object of the program in requests. */
class Handle {}

/* A proxy for an object that stays with the program, or a promise for its promise. */
function remote(number, kind, iterator) {
  const self = new Handle();
  const ask = (action, ...words) => request(action, [], self, ...words);
  numbers.set(self, number);
  if (kind === "promise") return promise(() => ask("await"));
  const target = kind === "function" ? function () {} : {};
  if (kind === "function") for (const name of ["name", "length"]) delete target[name];
  return new Proxy(target, {
    get: (_, key) => (typeof key === "symbol" ? bySymbol(self, key, iterator) : ask("get", key)),
    set: (_, key, value) => { ask("set", key, value); return true; },
    has: (_, key) => typeof key === "string" && ask("has", key) === true,
    deleteProperty: (_, key) => ask("delete", key) === true,
    ownKeys: (it) => [...new Set([...Reflect.ownKeys(it), ...ask("keys").map(String)])],
    getOwnPropertyDescriptor: (it, key) => descriptor(it, key, ask),
    getPrototypeOf: () => ask("prototype"),
    apply: (_, own, args) => call(self, own, args),
    construct: (_, args) => request("new", args, self, args),
  });
}

/* Call a function; the verdict of a method on a value of the tests is the program's own. */
function call(self, own, args) {
  const isMethod = numbers.has(own);
  const result = request("call", args, self, isMethod ? own : undefined, args);
  if (isMethod && args.length && typeof result === "boolean") report.own_words += 1;
  return result;
}

function descriptor(target, key, ask) {
  const own = Reflect.getOwnPropertyDescriptor(target, key);
  if (own || typeof key === "symbol" || !ask("keys").includes(key)) return own;
  const enumerable = ask("is_enumerable", key) === true;
  return { value: ask("get", key), writable: true, configurable: true, enumerable };
}

function bySymbol(self, key, iterator) {
  if (key === Symbol.iterator && iterator === "sync") return () => request("iterate", [], self, "sync");
  if (key === Symbol.asyncIterator && iterator === "async") {
    return () => request("iterate", [], self, "async");
  }
  return undefined;
}

function promise(wait) {
  return new Promise((done, fail) => setImmediate(() => {
    try {
      done(wait());
    } catch (error) {
      fail(error);
    }
  }));
}

/* An error of the language itself as such; any other value as it is. */
function errorOf([data, name, message, place]) {
  const value = decode(data, resolve);
  const kind = numbers.has(value) ? Object.getPrototypeOf(value) : null;
  if (kind === null || !(kind === Error.prototype || kind instanceof Error)) return value;
  if (!(kind.constructor.prototype === kind && globalThis[kind.constructor.name] === kind.constructor)) {
    return value;
  }
  const made = new kind.constructor(String(message));
  for (const key of Object.keys(value)) made[key] = value[key];
  if (place) Object.defineProperty(made, "place", { value: String(place) });
  return made;
}

function update(old, changed) {
  if (Array.isArray(old) && Array.isArray(changed)) {
    const inner = changed.map((item, at) => merge(old[at], item));
    old.length = 0;
    inner.forEach((item, at) => { old[at] = item; });
    old.length = inner.length;
  } else if (old instanceof Map && changed instanceof Map) {
    old.clear();
    changed.forEach((value, key) => old.set(key, value));
  } else if (old instanceof Set && changed instanceof Set) {
    old.clear();
    changed.forEach((value) => old.add(value));
  } else if (isRecord(old) && isRecord(changed)) {
    for (const key of Object.keys(old)) if (!Object.hasOwn(changed, key)) delete old[key];
    for (const key of Object.keys(changed)) old[key] = merge(old[key], changed[key]);
  }
}

function merge(old, changed) {
  const isSame = (Array.isArray(old) && Array.isArray(changed)) || (isRecord(old) && isRecord(changed));
  if (!isSame) return changed;
  update(old, changed);
  return old;
}

function isRecord(value) {
  return value !== null && typeof value === "object" && !numbers.has(value)
    && Object.getPrototypeOf(value) === Object.prototype;
}

const program = {
  isCounted: true,
  load: (source) => request("load", [], source),
  names: (wanted) => request("names", [], wanted),
  value: (name) => request("name", [], name),
  exports: () => request("exports", []),
  isRemote: (value) => numbers.has(value),
  isItsOwn: (error) => ofProgram.has(error),
};

async function main() {
  Error.stackTraceLimit = 100; // the calls that led to an error of the tests
  const plan = readPlan();
  if (link.receive()[0] !== "ready") throw new LinkBroken("the program sent invalid data");
  await runTests(program, plan);
}

main().catch((error) => { process.stderr.write(describe(error)); process.exitCode = 1; });
