// Runs before the page's own code, in the world of the page: time that passes only when it is
// told to, seeded randomness, and no way to the network that the browser would not ask about.
(() => {
  const real = {
    Date, perf: performance.now.bind(performance), raf: requestAnimationFrame.bind(window),
    MessageChannel, Promise, Worker, timeout: setTimeout.bind(window),
    define: Object.defineProperty, animations: document.getAnimations.bind(document),
  };
  for (const name of [
    "RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "WebTransport",
  ]) {
    try { delete window[name]; } catch { /* not there */ }
  }

  // mulberry32: small, and the same everywhere.
  let seed = 0x2f6e2b1;
  Math.random = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  if (window.top !== window) return; // frames inside have the time of the machine

  const START = 1767268800000; // 2026-01-01T12:00:00Z
  const FRAME_MS = 1000 / 30;
  const READ_MS = 0.001; // each reading takes time, or a loop that waits for it would never end
  const WORD_MS = 250; // so long a worker that was told something is waited for
  const WORDS_MS = 1000; // and all of them together, each time that time passes
  const DEEPEST = 5; // from this nesting on, timers wait at least 4 ms, as the standard says
  let now = 0;
  let nextFrame = FRAME_MS;
  let nextId = 1;
  let depth = 0;
  const timers = new Map();
  let frames = new Map();

  const read = () => (now += READ_MS);
  const RealDate = real.Date;
  function FixedDate(...given) {
    if (!new.target) return new RealDate(START + read()).toString();
    const args = given.length ? given : [START + Math.floor(read())];
    return Reflect.construct(RealDate, args, new.target);
  }
  FixedDate.prototype = RealDate.prototype;
  Object.setPrototypeOf(FixedDate, RealDate);
  real.define(RealDate.prototype, "constructor", { value: FixedDate, writable: true });
  real.define(FixedDate, "length", { value: 7 });
  real.define(FixedDate, "name", { value: "Date" });
  FixedDate.now = () => START + Math.floor(read());
  window.Date = FixedDate;
  real.define(Performance.prototype, "now", { value: () => read(), writable: true });
  real.define(Performance.prototype, "timeOrigin", { get: () => START });

  const call = (handler, args) => {
    // A fault here is one of the page: it is reported as if the browser had called.
    try {
      if (typeof handler === "function") handler.apply(window, args);
      else (0, eval)(String(handler));
    } catch (fault) {
      reportError(fault);
    }
  };
  const add = (handler, wait, args, every) => {
    const least = depth >= DEEPEST ? 4 : 0;
    const ms = Math.max(Number(wait) || 0, least);
    const id = nextId++;
    timers.set(id, { id, at: now + ms, handler, args, every: every ? Math.max(ms, 4) : 0,
                     depth: depth + 1 });
    return id;
  };
  window.setTimeout = (handler, wait, ...args) => add(handler, wait, args, false);
  window.setInterval = (handler, wait, ...args) => add(handler, wait, args, true);
  window.clearTimeout = window.clearInterval = (id) => { timers.delete(Number(id)); };
  window.requestAnimationFrame = (handler) => {
    if (typeof handler !== "function") throw new TypeError("not a function");
    frames.set(nextId, handler);
    return nextId++;
  };
  window.cancelAnimationFrame = (id) => { frames.delete(id); };
  window.requestIdleCallback = (handler, { timeout = 50 } = {}) =>
    add(() => handler({ didTimeout: false, timeRemaining: () => 10 }), Math.min(timeout, 50), []);
  window.cancelIdleCallback = window.clearTimeout;

  // Workers have the time of the machine. One that was told something is waited for, before time
  // goes on for the page, until it says something; one that kept silent once no longer is.
  const owing = new Set();
  const silent = new WeakSet();
  let heard = () => {};
  const owes = (worker) => { if (!silent.has(worker)) owing.add(worker); };
  const spoke = (worker) => { owing.delete(worker); silent.delete(worker); heard(); };
  if (real.Worker) {
    window.Worker = new Proxy(real.Worker, {
      construct(target, args, as) {
        const made = Reflect.construct(target, args, as);
        for (const kind of ["message", "messageerror", "error"]) {
          made.addEventListener(kind, () => spoke(made));
        }
        return made;
      },
    });
    const { postMessage, terminate } = real.Worker.prototype;
    real.Worker.prototype.postMessage = function (...given) {
      postMessage.apply(this, given);
      owes(this);
    };
    real.Worker.prototype.terminate = function () {
      terminate.call(this);
      spoke(this);
    };
  }
  const listen = async (atMostMs) => {
    const began = real.perf();
    const left = () => atMostMs - (real.perf() - began);
    const wait = (ms) => new real.Promise((go) => { heard = go; real.timeout(go, ms); });
    while (owing.size && left() > 0) {
      const asked = [...owing];
      const since = real.perf();
      while (asked.every((it) => owing.has(it)) && left() > 0 && real.perf() - since < WORD_MS) {
        await wait(Math.max(1, Math.min(left(), WORD_MS)));
      }
      if (real.perf() - since >= WORD_MS) {
        for (const it of asked) if (owing.delete(it)) silent.add(it);
      }
    }
    return real.perf() - began;
  };

  const channel = new real.MessageChannel();
  const turns = [];
  channel.port1.onmessage = () => turns.shift()?.();
  const turn = () => new real.Promise((go) => { turns.push(go); channel.port2.postMessage(0); });
  // Observers of size and of intersection speak when a frame is drawn; none is, in a hidden page.
  const drawn = () => new real.Promise((go) => { real.raf(() => go()); real.timeout(go, 100); });

  const due = (until) => {
    let first = null;
    for (const timer of timers.values()) {
      if (timer.at <= until && (!first || timer.at < first.at)) first = timer;
    }
    return first;
  };
  const fire = (timer) => {
    now = Math.max(now, timer.at);
    if (timer.every) timer.at = now + timer.every;
    else timers.delete(timer.id);
    depth = timer.depth;
    call(timer.handler, timer.args);
    depth = 0;
  };
  const frame = () => {
    now = Math.max(now, nextFrame);
    nextFrame += FRAME_MS;
    const asked = frames;
    frames = new Map();
    for (const handler of asked.values()) call(handler, [now]);
  };

  // Lets so much time pass for the page; gives up when that takes too long by the machine's clock.
  const pass = async (ms, atMostMs) => {
    const until = now + ms;
    const began = real.perf();
    let patience = Math.min(WORDS_MS, atMostMs / 2);
    while (real.perf() - began < atMostMs) {
      if (owing.size && patience > 0) patience -= await listen(patience);
      const timer = due(Math.min(until, nextFrame));
      if (timer) fire(timer);
      else if (nextFrame <= until) frame();
      else break;
      await turn();
    }
    const isLate = now < until && (nextFrame <= until || Boolean(due(until)));
    now = Math.max(now, until);
    nextFrame = Math.max(nextFrame, now);
    return isLate;
  };
  const settle = async (ms, atMostMs) => {
    await drawn();
    const isLate = await pass(ms, atMostMs);
    for (const one of real.animations()) {
      try { one.finish(); } catch { /* it never ends */ }
    }
    await drawn();
    await turn();
    return { isLate };
  };
  const draw = async () => {
    await drawn();
    await turn();
  };
  real.define(window, Symbol.for("benchmaker.clock"), { value: { settle, draw } });
})();
