"use strict";
/* The process of the tests in JavaScript: runs them against the program, and reports the verdict.

   It runs in a sandbox of its own. Only plain values come from the program; any other object stays
   there, and the tests hold a proxy for it. Nobody else can write to the verdict pipe. */

const fs = require("node:fs");
const inspector = require("node:inspector");
const Module = require("node:module");
const path = require("node:path");
const util = require("node:util");
const { pathToFileURL } = require("node:url");
const { Worker } = require("node:worker_threads");
const { Link, LinkBroken, encode, decode } = require("./link.cjs");

const VERDICT = 3;
const MOST = 200;
const NODE_TEST = /node:test|(?<![.\w$])(?:test|it|describe|suite)(?:\.\w+)?\s*\(/;
const ESM = /^\s*import\s*[\w{*"']/m;
const LIBRARIES = /^(?:expect|jest|vi|chai|sinon|should|jasmine|QUnit|cy) is not defined$/;
/* A test that skips itself while it runs, or by a condition: a value of the program may be why. */
const SKIPS = /(?<!\b(?:test|it|describe|suite))\.(?:skip|todo)\s*\(|\b(?:skip|todo)\s*:(?!\s*(?:true\b|["'`]))/;
/* Requests by which the tests use the program, other than by naming its objects. */
const USES = ["call", "new", "iterate", "await"];
const SOLUTION = /^(?:\.\/)?solution(?:\.[cm]?js)?$/;

const link = new Link();
const remotes = new Map();
const numbers = new Map();
const functions = [];
const ofProgram = new WeakSet();
let began = Date.now();
const report = { planned: 0, passed: 0, skipped: 0, failures: [], running: "", reason: "", problem: "",
  unsendable: "", fault: "", own_words: 0, hidden: [], is_checked: false };

/* The time limit: this thread may wait for the program, or be busy with one of its values. */
const claim = new Int32Array(new SharedArrayBuffer(4));
const watch = new Worker(`
  const fs = require("node:fs");
  const { parentPort, workerData } = require("node:worker_threads");
  let timer;
  parentPort.on("message", (milliseconds) => {
    clearTimeout(timer);
    if (milliseconds) timer = setTimeout(stop, milliseconds);
  });
  function stop() {
    if (Atomics.compareExchange(workerData.claim, 0, 0, 1) !== 0) return;
    fs.writeSync(workerData.fd, workerData.verdict);
    process.kill(process.pid, "SIGKILL");
  }`, {
  eval: true,
  workerData: { claim, fd: VERDICT, verdict: JSON.stringify({ ...report, reason: "timeout", seconds: 0 }) },
});
watch.unref();

function setAlarm(seconds) {
  watch.postMessage(seconds * 1000);
}

function end(reason) {
  if (Atomics.compareExchange(claim, 0, 0, 1) !== 0) return;
  const verdict = { ...report, reason, seconds: (Date.now() - began) / 1000 };
  const text = Buffer.from(JSON.stringify(verdict));
  for (let at = 0; at < text.length;) at += fs.writeSync(VERDICT, text, at);
}

function add(name, failure) {
  report.planned += 1;
  if (failure === null) report.passed += 1;
  else if (report.failures.length < MOST) report.failures.push([name.slice(0, 200), failure.slice(0, 1200)]);
}

/* Add a failed test, or the fault of the tests themselves, which leaves nothing to say. */
function addFailed(name, error) {
  report.fault = report.fault || ownFault(error);
  add(name, describe(error));
}

function ownFault(error) {
  const isTest = error instanceof Error && error.code === "ERR_TEST_FAILURE";
  const cause = isTest && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error) || util.types.isProxy(cause) || ofProgram.has(cause)) return "";
  const message = String(cause.message).split("\n")[0];
  const isMissing = /^(?:ERR_)?MODULE_NOT_FOUND$/.test(cause.code) && !/solution/.test(message);
  const isLibrary = cause instanceof ReferenceError && LIBRARIES.test(message);
  const isSyntax = cause instanceof SyntaxError && /^\S*tests\.[cm]js:\d+\n/.test(cause.stack)
    && !/ export named /.test(message);
  return isMissing || isLibrary || isSyntax ? `${cause.name}: ${message}` : "";
}

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
    old.splice(0, old.length, ...inner);
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

function describe(error) {
  if (error === null || typeof error !== "object") return `thrown: ${String(error)}`;
  try {
    const cause = error.cause instanceof Error && error.code === "ERR_TEST_FAILURE" ? error.cause : error;
    const place = cause.place ? ` (${cause.place})` : "";
    const message = String(cause.message).replace(/\s*\n\s*/g, " ").trim();
    return `${String(cause.name)}: ${message}${place}`;
  } catch {
    return "an error of the program";
  }
}

/* Names of the program that the tests use become global; those of the language stay its own. */
function bind(tests) {
  const words = new Set(tests.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) || []);
  const wanted = [...words].filter((name) => !(name in globalThis) && name !== "arguments");
  const found = request("names", [], wanted).filter((name) => wanted.includes(name));
  for (const name of found) globalThis[name] = request("name", [], name);
  return found;
}

function programModule(names) {
  const made = request("exports", []);
  const isEmpty = typeof made === "object" && made !== null && !numbers.has(made) && !Object.keys(made).length;
  if (!isEmpty) return made;
  return Object.fromEntries(names.map((name) => [name, globalThis[name]]));
}

function intercept(program) {
  const load = Module._load;
  Module._load = (name, ...rest) => (SOLUTION.test(name) ? program : load(name, ...rest));
}

/* A file for tests that import the program as a module. */
function writeModule(program) {
  globalThis.__program = program;
  const names = Object.keys(program).filter((name) => /^[\w$]+$/.test(name) && name !== "default");
  const lines = names.map((name) => `const _${name} = globalThis.__program[${JSON.stringify(name)}];\n`
    + `export { _${name} as ${name} };`);
  const text = `${lines.join("\n")}\nexport default globalThis.__program.default ?? globalThis.__program;\n`;
  for (const name of ["solution", "solution.js", "solution.mjs", "solution.cjs"]) fs.writeFileSync(name, text);
  fs.writeFileSync("package.json", '{"type": "module"}');
}

async function run(tests) {
  const isModule = ESM.test(tests);
  const file = path.resolve(isModule ? "tests.mjs" : "tests.cjs");
  fs.writeFileSync(file, tests);
  seen.file = pathToFileURL(file).href;
  await (isModule ? import(seen.file) : Promise.resolve(require(file)));
}

/* What the engine counts of the tests' file: the parts of their code that were executed. */
const session = new inspector.Session();

function startCounting() {
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: false, detailed: true });
}

/* True if one of the places was executed: its innermost counted range was. */
function isReached(places) {
  let functions = [];
  session.post("Profiler.takePreciseCoverage", (_, { result }) => {
    const own = result.find(({ url }) => url === seen.file);
    functions = own ? own.functions : [];
  });
  const ranges = functions.flatMap((it) => it.ranges);
  return places.some((place) => {
    const around = ranges.filter((it) => it.startOffset <= place && place < it.endOffset);
    around.sort((one, other) => one.endOffset - one.startOffset - other.endOffset + other.startOffset);
    return around.length > 0 && around[0].count > 0;
  });
}

const seen = { file: "", isComplete: false, hasOwnSkips: false, planned: undefined, ended: 0 };

function addNodeTest(event) {
  if (event.type === "test:plan" && event.data.nesting === 0) seen.planned = event.data.count;
  const isPass = event.type === "test:pass";
  if (!isPass && event.type !== "test:fail") return;
  const { name, details, skip, todo, nesting } = event.data;
  if (nesting === 0) seen.ended += 1;
  if (details && details.type === "suite") return;
  const isLeftOut = todo !== undefined || (isPass && skip !== undefined);
  if (isLeftOut && !seen.hasOwnSkips) report.skipped += 1;
  else if (!isPass) addFailed(name, details.error);
  else add(name, skip !== undefined ? "skipped" : todo !== undefined ? "still to be done" : null);
}

globalThis[Symbol.for("benchmaker.report")] = addNodeTest;

async function main() {
  const plan = JSON.parse(fs.readFileSync(0, "utf8"));
  const usesNodeTest = NODE_TEST.test(plan.tests);
  const assert = require("node:assert");
  Object.assign(globalThis, { assert });
  if (usesNodeTest) {
    const { test, it, describe: group, suite, before, after, beforeEach, afterEach } = require("node:test");
    Object.assign(globalThis, { test, it, describe: group, suite, before, after, beforeEach, afterEach });
  }
  if (link.receive()[0] !== "ready") throw new LinkBroken("the program sent invalid data");
  fs.writeSync(VERDICT, "started\n");
  setAlarm(plan.timeout);
  try {
    request("load", [], plan.program);
    const program = programModule(bind(plan.tests));
    intercept(program);
    if (ESM.test(plan.tests)) writeModule(program);
  } catch (error) {
    report.problem = report.problem || describe(error);
    return end("load");
  }
  process.on("exit", () => {
    const hasNodeTests = seen.planned !== undefined || seen.ended > 0;
    if (!seen.isComplete || (hasNodeTests && seen.planned !== seen.ended)) {
      add("the tests", "they did not finish");
    } else if (!hasNodeTests && !report.failures.length) add("the tests", null);
    report.is_checked ||= isReached(plan.checks);
    end(report.fault);
  });
  began = Date.now();
  seen.hasOwnSkips = SKIPS.test(plan.tests);
  setAlarm(plan.timeout);
  startCounting();
  try {
    await run(plan.tests);
  } catch (error) {
    addFailed("the tests", error);
  }
  seen.isComplete = true;
}

process.on("uncaughtException", (error) => addFailed("the tests", error));
process.on("unhandledRejection", (error) => addFailed("the tests", error));
main().catch((error) => { process.stderr.write(describe(error)); process.exitCode = 1; });
