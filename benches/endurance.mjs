// One stream, a million events and a gibibyte: the module's memory must stay where it was.
import { V1_0 } from "../js/src/bytes.mjs";
import { consume, loadOurs } from "./contenders.mjs";
import { cut, events } from "./payloads.mjs";

const EVENTS = 1_000_000;
const BYTES = 2 ** 30;

/** @returns {Promise<boolean>} whether it did */
export async function endurance() {
  const { wasm, bytes } = await loadOurs();
  const block = events(1_000, 960);
  const chunks = cut(Buffer.concat(block), 50_021); // a prime: the cuts fall anywhere
  const stream = bytes.stream(new TextEncoder().encode("7"), bytes.operation("SubscribeToTask"), V1_0, 4 << 20);
  let [sent, passed, received] = [0, 0, 0];
  let settled = 0;
  const start = performance.now();
  while (sent < EVENTS || passed < BYTES) {
    for (const chunk of chunks) {
      if (bytes.push(stream, chunk) !== 0) throw new Error("the stream ended");
      const result = bytes.view();
      consume(result);
      received += result.length;
      passed += chunk.length;
    }
    sent += block.length;
    // What the largest event needs is known after the first blocks.
    if (sent === 10 * block.length) settled = wasm.memory.buffer.byteLength;
  }
  bytes.finish(stream);
  bytes.free(stream);
  const after = wasm.memory.buffer.byteLength;
  const seconds = (performance.now() - start) / 1000;
  const mib = (/** @type {number} */ n) => `${(n / 2 ** 20).toFixed(1)} MiB`;
  console.log(`${sent.toLocaleString("en")} events, ${mib(passed)} in, ${mib(received)} out, ${seconds.toFixed(1)} s`);
  console.log(`wasm memory: ${mib(settled)} after ${(10 * block.length).toLocaleString("en")} events, ${mib(after)} at the end`);
  if (after > settled) console.log("FAILED: the memory has grown");
  return after <= settled;
}
