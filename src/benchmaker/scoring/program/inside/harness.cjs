"use strict";
/* Runs tests in JavaScript against a program, and reports the verdict. The program is in this process,
   or the tests hold proxies for its objects: see together.cjs and tests.cjs. */

const { createHook } = require("node:async_hooks");
const fs = require("node:fs");
const inspector = require("node:inspector");
const Module = require("node:module");
const path = require("node:path");
const util = require("node:util");
const { pathToFileURL } = require("node:url");
const { Worker } = require("node:worker_threads");
const { ProgramValues } = require("./program_values.cjs");
const { Skips } = require("./skips.cjs");

const VERDICT = 3;
const MOST = 200;
const NODE_TEST = /node:test|(?<![.\w$])(?:test|it|describe|suite)(?:\.\w+)?\s*\(/;
const ESM = /^\s*import\s*[\w{*"']/m;
const LIBRARIES = /^(?:expect|jest|vi|chai|sinon|should|jasmine|QUnit|cy) is not defined$/;
/* A method that node's own objects do not have. */
const NO_METHOD = /^(?:(?:(?:t\.)?assert|test|describe|suite)\.(?:\w+\.)?\w+|it\.each) is not a function$/;
const OF_LANGUAGE = ["arguments", "false", "null", "this", "true"];
const SOLUTION = /^(?:\.\/)?solution(?:\.[cm]?js)?$/;

/* The program, set by runTests: how it is loaded, and what stands for it. */
let program;
let values;
let skips;
let began = Date.now();
const report = { planned: 0, passed: 0, skipped: 0, failures: [], running: "", reason: "", problem: "",
  unsendable: "", fault: "", own_words: 0, hidden: [], is_checked: false, is_doubtful: false, is_waiting: false };

/* The limits of processor and wall time: this thread may wait for the program, or be busy with one
   of its values. */
const claim = new Int32Array(new SharedArrayBuffer(4));
const watch = new Worker(`
  const fs = require("node:fs");
  const { parentPort, workerData } = require("node:worker_threads");
  let timer, watch;
  const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
  parentPort.on("message", ({ seconds, wall }) => {
    const end = used() + seconds;
    const limit = Date.now() + wall * 1000 - queued();
    clearTimeout(timer);
    clearInterval(watch);
    timer = setTimeout(stopLater, wall * 1000, limit);
    watch = setInterval(() => { if (used() >= end) stop("timeout"); }, 50);
  });
  /* Waiting for a processor does not count. */
  function stopLater(limit) {
    const left = limit + queued() - Date.now();
    if (left <= 1000) stop("wall");
    else timer = setTimeout(stopLater, left, limit);
  }
  function queued() {
    try {
      const found = fs.readFileSync("/proc/self/task/" + process.pid + "/schedstat", "utf8");
      return Number(found.split(" ")[1]) / 1e6 || 0;
    } catch {
      return 0;
    }
  }
  function stop(reason) {
    if (Atomics.compareExchange(workerData.claim, 0, 0, 1) !== 0) return;
    fs.writeSync(workerData.fd, JSON.stringify({ ...workerData.report, reason }));
    process.kill(process.pid, "SIGKILL");
  }`, {
  eval: true,
  workerData: { claim, fd: VERDICT, report: { ...report, seconds: 0 } },
});
watch.unref();

function setAlarm({ timeout, wall }) {
  watch.postMessage({ seconds: timeout, wall });
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
  if (!(cause instanceof Error) || util.types.isProxy(cause) || program.isItsOwn(cause)) return "";
  const message = String(cause.message).split("\n")[0];
  const isMissing = /^(?:ERR_)?MODULE_NOT_FOUND$/.test(cause.code) && !/solution/.test(message);
  const isLibrary = (cause instanceof ReferenceError && LIBRARIES.test(message))
    || (cause instanceof TypeError && NO_METHOD.test(message));
  const isSyntax = cause instanceof SyntaxError && /^\S*tests\.[cm]js:\d+\n/.test(cause.stack)
    && !/ export named /.test(message);
  if (isMissing || isLibrary || isSyntax) return `${cause.name}: ${message}`;
  return faultBeforeUse(cause, message, isTest && error.failureType === "hookFailed");
}

/* An error of the tests at a place that uses nothing of the program; only doubtful in its process. */
function faultBeforeUse(cause, message, isHook) {
  const isResult = cause.code === "ERR_ASSERTION" || cause instanceof ReferenceError;
  if (isResult || values.mayBeUsedAt(cause)) return "";
  report.is_doubtful ||= !program.isCounted;
  return program.isCounted ? `${isHook ? "the setup failed: " : ""}${cause.name}: ${message}` : "";
}

function describe(error) {
  if (error === null || typeof error !== "object") return `thrown: ${String(error)}`;
  try {
    const cause = error.cause instanceof Error && error.code === "ERR_TEST_FAILURE" ? error.cause : error;
    const found = cause.place || (program.placeOf ? program.placeOf(cause) : "");
    const place = found ? ` (${found})` : "";
    const message = String(cause.message).replace(/\s*\n\s*/g, " ").trim();
    return `${String(cause.name)}: ${message}${place}`;
  } catch {
    return "an error of the program";
  }
}

/* Names of the program that the tests use become global; those of the language stay its own. */
function bind(tests) {
  const words = new Set(tests.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) || []);
  const wanted = [...words].filter((name) => !(name in globalThis) && !OF_LANGUAGE.includes(name));
  const found = program.names(wanted).filter((name) => wanted.includes(name));
  for (const name of found) globalThis[name] = program.value(name);
  return found;
}

function programModule(names) {
  const made = program.exports();
  const isEmpty = typeof made === "object" && made !== null && !program.isRemote(made)
    && !Object.keys(made).length;
  if (!isEmpty) return made;
  return Object.fromEntries(names.map((name) => [name, globalThis[name]]));
}

function intercept(exported) {
  const load = Module._load;
  Module._load = (name, ...rest) => (SOLUTION.test(name) ? exported : load(name, ...rest));
}

/* A file for tests that import the program as a module. */
function writeModule(exported) {
  globalThis.__program = exported;
  const names = Object.keys(exported).filter((name) => /^[\w$]+$/.test(name) && name !== "default");
  const lines = program.url && exported === program.exports() ? [`export * from ${JSON.stringify(program.url)};`]
    : names.map((name) => `const _${name} = globalThis.__program[${JSON.stringify(name)}];\n`
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
  await (isModule ? import(seen.file) : require(file));
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

const seen = { file: "", isComplete: false, hasLeft: false, planned: undefined, ended: 0 };

function addNodeTest(event) {
  if (event.type === "test:plan" && event.data.nesting === 0) seen.planned = event.data.count;
  const isPass = event.type === "test:pass";
  if (!isPass && event.type !== "test:fail") return;
  const { name, details, skip, todo, nesting, line, column } = event.data;
  if (nesting === 0) seen.ended += 1;
  const isLeftOut = todo !== undefined || (isPass && skip !== undefined);
  if (details && details.type === "suite" && !isLeftOut) {
    const isOwn = !isPass && details.error.failureType !== "subtestsFailed";
    if (isOwn) addFailed(name, details.error);
    return;
  }
  if (isLeftOut && !skips.isDoubtful(line, column)) report.skipped += 1;
  else if (!isPass) addFailed(name, details.error);
  else add(name, skip !== undefined ? "skipped" : todo !== undefined ? "still to be done" : null);
}

globalThis[Symbol.for("benchmaker.report")] = addNodeTest;

/* Tests may end the process; a program in their process may not. */
const leave = process.exit;
process.exit = (status) => {
  seen.hasLeft = true;
  const place = program.placeOf ? program.placeOf(new Error()) : "";
  if (place) add("the tests", `the program ended the process (${place})`);
  leave(status);
};

/* Add the result of tests without a framework, or of tests that did not come to their end. */
function addEnd(status, usesNodeTest) {
  const hasNodeTests = seen.planned !== undefined || seen.ended > 0;
  const isComplete = seen.hasLeft ? !usesNodeTest : seen.isComplete;
  if (!isComplete || (hasNodeTests && seen.planned !== seen.ended)) add("the tests", "they did not finish");
  else if (status && !report.failures.length) add("the tests", `they ended with status ${status}`);
  else if (!hasNodeTests && !report.failures.length) add("the tests", null);
  report.is_waiting = !seen.hasLeft && waiting.size > 0;
}

/* Promises of the tests that are not settled, by their numbers: an async function may not have ended. */
const IN_TESTS = /(?<!\/inside\/)tests\.[cm]js:/;
const waiting = new Set();
const hook = createHook({
  init(id, type) {
    if (type !== "PROMISE") return;
    const frames = String(new Error().stack).split("\n").slice(2);
    if (IN_TESTS.test(frames.find((it) => !/node:internal\/|at Promise.then /.test(it)))) waiting.add(id);
  },
  promiseResolve: (id) => waiting.delete(id),
});

/* The names that tests use without an import, after the program has loaded. */
function provideFramework(tests) {
  Object.assign(globalThis, { assert: require("node:assert") });
  if (!NODE_TEST.test(tests)) return;
  const { test, it, describe: group, suite, before, after, beforeEach, afterEach } = require("node:test");
  Object.assign(globalThis, { test, it, describe: group, suite, before, after, beforeEach, afterEach });
}

/* Run the tests of the plan against a program, once it has loaded. */
async function runTests(side, plan) {
  program = side;
  fs.writeSync(VERDICT, "started\n");
  setAlarm(plan);
  try {
    await program.load(plan.program);
    provideFramework(plan.tests);
    const names = bind(plan.tests);
    values = new ProgramValues(plan.tests, names);
    skips = new Skips(values);
    const exported = programModule(names);
    intercept(exported);
    if (ESM.test(plan.tests)) writeModule(exported);
  } catch (error) {
    report.problem = report.problem || describe(error);
    end("load");
    return leave(0);
  }
  process.on("exit", (status) => {
    addEnd(status, NODE_TEST.test(plan.tests));
    if (program.isCounted) report.is_checked ||= isReached(plan.checks);
    end(report.fault);
  });
  began = Date.now();
  setAlarm(plan);
  if (program.isCounted) startCounting();
  hook.enable();
  try {
    await run(plan.tests);
  } catch (error) {
    addFailed("the tests", error);
  }
  seen.isComplete = true;
}

process.on("uncaughtException", (error) => addFailed("the tests", error));
process.on("unhandledRejection", (error) => addFailed("the tests", error));

function readPlan() {
  return JSON.parse(fs.readFileSync(0, "utf8"));
}

module.exports = { report, describe, readPlan, runTests };
