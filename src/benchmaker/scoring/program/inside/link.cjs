"use strict";
/* Frames of JSON over the socket between the tests and the program: a length in four bytes, most
   significant first, and as many bytes of JSON in UTF-8. Values that JSON lacks are lists that
   begin with a tag; any other object is left to `refer`, and read by `resolve`. */

const fs = require("node:fs");
const util = require("node:util");

const LINK = 4;
const FRAME_BYTES = 8 << 20;
const TOTAL_BYTES = 32 << 20;
const DEPTH = 150;
const HOLE = ["hole"];
const ARRAYS = ["Uint8Array", "Int8Array", "Uint16Array", "Int16Array", "Uint32Array",
  "Int32Array", "Float32Array", "Float64Array", "Uint8ClampedArray", "BigInt64Array",
  "BigUint64Array", "Buffer"];

class LinkBroken extends Error {}

/* One end of the socket. */
class Link {
  constructor() {
    this.received = 0;
    this.rest = Buffer.alloc(0);
  }

  send(message) {
    const body = Buffer.from(JSON.stringify(message), "utf8");
    if (body.length > FRAME_BYTES) throw new LinkBroken("a message is too long");
    const frame = Buffer.alloc(4 + body.length);
    frame.writeUInt32BE(body.length);
    body.copy(frame, 4);
    for (let at = 0; at < frame.length;) at += retry(() => fs.writeSync(LINK, frame, at));
  }

  receive() {
    for (;;) {
      const message = this.take();
      if (message !== undefined) return message;
      const chunk = Buffer.alloc(1 << 16);
      this.add(chunk, retry(() => fs.readSync(LINK, chunk)));
    }
  }

  /* As `receive`, while timers and promises go on. */
  async receiveLater() {
    for (;;) {
      const message = this.take();
      if (message !== undefined) return message;
      const chunk = Buffer.alloc(1 << 16);
      const size = await new Promise((resolve, reject) => fs.read(
        LINK, chunk, 0, chunk.length, null,
        (error, count) => (error ? reject(new LinkBroken("the program ended")) : resolve(count))));
      this.add(chunk, size);
    }
  }

  add(chunk, size) {
    if (size === 0) throw new LinkBroken("the program ended");
    this.received += size;
    if (this.received > TOTAL_BYTES) throw new LinkBroken("the program sent too much data");
    this.rest = Buffer.concat([this.rest, chunk.subarray(0, size)]);
  }

  take() {
    if (this.rest.length < 4) return undefined;
    const size = this.rest.readUInt32BE();
    if (size > FRAME_BYTES) throw new LinkBroken("the program sent too much data");
    if (this.rest.length < 4 + size) return undefined;
    const body = this.rest.subarray(4, 4 + size);
    this.rest = this.rest.subarray(4 + size);
    try {
      const message = JSON.parse(body.toString("utf8"));
      if (Array.isArray(message) && message.length) return message;
    } catch {}
    throw new LinkBroken("the program sent invalid data");
  }
}

function retry(call) {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (error.code !== "EAGAIN") throw new LinkBroken("the program ended");
    }
  }
}

/* Objects of the language itself, which each side has. */
const INTRINSICS = {};
for (const name of ["Object", "Array", "Error", "TypeError", "RangeError", "EvalError",
  "SyntaxError", "ReferenceError", "URIError", "AggregateError", "Map", "Set", "WeakMap", "WeakSet",
  "Date", "RegExp", "Promise", "String", "Number", "Boolean", "BigInt", "Symbol"]) {
  INTRINSICS[name] = globalThis[name];
  INTRINSICS[`${name}.prototype`] = globalThis[name].prototype;
}
INTRINSICS["Function.prototype"] = Function.prototype;
const NAMES = new Map(Object.entries(INTRINSICS).map(([name, value]) => [value, name]));

function encode(value, refer, depth = 0) {
  const inner = (item) => encode(item, refer, depth + 1);
  switch (typeof value) {
    case "undefined": return ["undefined"];
    case "boolean": case "string": return value;
    case "bigint": return ["bigint", value.toString(16)];
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? value
        : ["number", Object.is(value, -0) ? "-0" : String(value)];
    case "symbol": return refer(value);
  }
  if (value === null) return null;
  if (depth > DEPTH) throw new RangeError("the value is nested too deeply");
  if (util.types.isProxy(value)) return refer(value);
  if (NAMES.has(value)) return ["intrinsic", NAMES.get(value)];
  switch (Object.getPrototypeOf(value)) {
    case Array.prototype: return ["array", ...Array.from(value, (item, at) => (at in value ? inner(item) : HOLE))];
    case Map.prototype: return ["Map", ...[...value].flat().map(inner)];
    case Set.prototype: return ["Set", ...[...value].map(inner)];
    case Date.prototype: return ["Date", inner(value.getTime())];
    case RegExp.prototype: return ["RegExp", value.source, value.flags];
    case Object.prototype: case null:
      if (isRecord(value)) return ["record", ...Object.entries(value).flat().map(inner)];
  }
  const name = value.constructor && value.constructor.name;
  if (ARRAYS.includes(name) && util.types.isTypedArray(value)) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return ["bytes", name, bytes.toString("hex")];
  }
  return refer(value);
}

/* An object of data alone: no functions, getters or symbols. */
function isRecord(value) {
  if (typeof value !== "object" || util.types.isModuleNamespaceObject(value)) return false;
  const all = Object.getOwnPropertyDescriptors(value);
  return Reflect.ownKeys(all).every((key) => typeof key === "string" && all[key].enumerable
    && "value" in all[key] && typeof all[key].value !== "function");
}

function decode(data, resolve) {
  if (data === null || typeof data !== "object") return data;
  if (!Array.isArray(data)) throw new LinkBroken("the program sent invalid data");
  const [tag, ...items] = data;
  const inner = () => items.map((item) => decode(item, resolve));
  switch (tag) {
    case "undefined": case "hole": return undefined;
    case "bigint": return (items[0][0] === "-" ? -1n : 1n) * BigInt(`0x${items[0].replace("-", "")}`);
    case "number": return Number(items[0]);
    case "array": return array(inner, items);
    case "Map": return new Map(pairs(inner()));
    case "Set": return new Set(inner());
    case "Date": return new Date(inner()[0]);
    case "RegExp": return new RegExp(String(items[0]), String(items[1]));
    case "record": return record(pairs(inner()));
    case "bytes": return typedArray(items);
    case "intrinsic":
      if (!Object.hasOwn(INTRINSICS, items[0])) throw new LinkBroken("the program sent invalid data");
      return INTRINSICS[items[0]];
    default: return resolve(data);
  }
}

/* An array, whose holes are no items. */
function array(inner, items) {
  const made = inner();
  items.forEach((item, at) => { if (Array.isArray(item) && item[0] === HOLE[0]) delete made[at]; });
  return made;
}

function pairs(items) {
  return Array.from({ length: items.length >> 1 }, (_, at) => items.slice(2 * at, 2 * at + 2));
}

function record(entries) {
  const made = {};
  for (const [key, value] of entries) {
    Object.defineProperty(made, String(key),
      { value, writable: true, enumerable: true, configurable: true });
  }
  return made;
}

function typedArray([name, hex]) {
  const bytes = Buffer.from(String(hex), "hex");
  if (name === "Buffer") return bytes;
  if (!ARRAYS.includes(name)) throw new LinkBroken("the program sent invalid data");
  return new globalThis[name](new Uint8Array(bytes).buffer);
}

module.exports = { Link, LinkBroken, encode, decode };
