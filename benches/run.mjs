// Measures in this process and prints the table; `npm run bench` sets up and calls it, once per Node.js.
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { a2aJs, checksum, consume, floor, loadOurs, ours } from "./contenders.mjs";
import { endurance } from "./endurance.mjs";
import { measure } from "./measure.mjs";
import { KEYS, payload } from "./payloads.mjs";

const { values } = parseArgs({
  options: { only: { type: "string" }, quick: { type: "boolean", default: false }, endurance: { type: "boolean", default: false } },
});

const EFFORT = { rounds: 25, batchMs: 25, warmMs: 300 };
const QUICK = { rounds: 7, batchMs: 10, warmMs: 100 };

const mib = (/** @type {number} */ n) => `${(n / 2 ** 20).toFixed(1)} MiB`;
const kib = (/** @type {number} */ n) => `${(n / 1024).toFixed(1)} KiB`;

/** Everything a run gives, in one piece. @param {import("./contenders.mjs").Run} run @param {Uint8Array[]} inputs */
function output(run, inputs) {
  /** @type {Uint8Array[]} */
  const pieces = [];
  run(inputs, (bytes) => pieces.push(bytes.slice()));
  return Buffer.concat(pieces).toString();
}

/** What a translated text says, events one by one. @param {string} text */
function meaning(text) {
  if (!text.startsWith("data: ")) return JSON.parse(text);
  return text.split("\n\n").filter((event) => event !== "").map((event) => JSON.parse(event.replace("data: ", "")));
}

async function table() {
  const { wasm, file, bytes } = await loadOurs();
  const peer = await a2aJs();
  const contenders = [ours(bytes, "owned"), ours(bytes, "view"), peer, floor()];
  const before = wasm.memory.buffer.byteLength;
  const keys = values.only === undefined ? KEYS : KEYS.filter((key) => values.only?.split(",").some((name) => key === name || key === `${name}1`));
  if (keys.length === 0) throw new Error(`--only: ${KEYS.join(",")}`);

  console.log(`Node.js ${process.versions.node}, V8 ${process.versions.v8}`);
  console.log(`a2a-js: @a2a-js/sdk ${peer.version}, bytes → JSON.parse → its own compat translators and ProtoJSON codecs → JSON.stringify → bytes.`);
  console.log("  Its translators are called directly: no handler, no SSE reader of its own around them, which would only add to its time.");
  console.log("floor: bytes → JSON.parse → JSON.stringify → bytes. owned: our result copied out of wasm memory. view: read in place.");
  console.log(`module: ${kib(file.length)}, gzip ${kib(gzipSync(file, { level: 9 }).length)}\n`);

  /** @type {{ name: string, times: Record<string, number> }[]} */
  const columns = [];
  let largest = 0;
  for (const key of keys) {
    const { name, what, kind, inputs } = payload(key);
    const size = inputs.reduce((sum, input) => sum + input.length, 0);
    largest = Math.max(largest, size);
    const expected = meaning(output(peer.runs[kind], inputs));
    for (const { name: who, runs } of contenders.slice(0, 2)) {
      assert.deepEqual(meaning(output(runs[kind], inputs)), expected, `${name}: ${who} and a2a-js differ`);
    }
    const timed = contenders.map((contender) => ({ name: contender.name, run: () => contender.runs[kind](inputs, consume) }));
    const times = measure(timed, values.quick ? QUICK : EFFORT);
    columns.push({ name, times });
    const shown = Object.entries(times).map(([who, ns]) => `${who} ${duration(ns)}`);
    console.log(`${name.padEnd(12)}${what} (${size.toLocaleString("en")} B): ${shown.join(", ")}, ${((size / (times.owned ?? NaN)) * 1000).toFixed(0)} MB/s owned`);
  }

  console.log(`\nratio to a2a-js / to floor, Node.js ${process.versions.node}`);
  console.log(`|  | ${columns.map(({ name }) => name).join(" | ")} |`);
  console.log(`|---|${columns.map(() => "---").join("|")}|`);
  for (const how of /** @type {const} */ (["owned", "view"])) {
    const cells = columns.map(({ times }) => `${ratio(times["a2a-js"], times[how])}/${ratio(times.floor, times[how])}`);
    console.log(`| ${how} | ${cells.join(" | ")} |`);
  }
  console.log(`\nwasm memory: ${mib(before)} before, ${mib(wasm.memory.buffer.byteLength)} after; largest payload ${mib(largest)}. Checksum ${(checksum >>> 0).toString(16)}`);
}

/** @param {number | undefined} a @param {number | undefined} b */
function ratio(a = NaN, b = NaN) {
  const value = a / b;
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}

/** @param {number} ns */
function duration(ns) {
  if (ns < 1e5) return `${(ns / 1e3).toFixed(2)} µs`;
  return ns < 1e6 ? `${(ns / 1e3).toFixed(0)} µs` : `${(ns / 1e6).toFixed(2)} ms`;
}

if (values.endurance) process.exitCode = (await endurance()) ? 0 : 1;
else await table();
