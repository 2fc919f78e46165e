// Who is measured: each takes bytes and gives bytes, and hands every result to the same consumer.
import { readFileSync } from "node:fs";
import { createRequire, register } from "node:module";
import { pathToFileURL } from "node:url";
import { Bytes, V0_3, V1_0 } from "../js/src/bytes.mjs";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What has been read of the results so far, so that nobody can skip the work. */
export let checksum = 0;

/** Reads a result: its length, and a byte of every cache line. @param {Uint8Array} bytes */
function consume(bytes) {
  let sum = bytes.length;
  for (let i = 0; i < bytes.length; i += 64) sum = (sum + /** @type {number} */ (bytes[i])) | 0;
  checksum = (checksum + sum + (bytes[bytes.length - 1] ?? 0)) | 0;
}

/**
 * One run over a payload's inputs; `take` gets every piece of output.
 * @typedef {(inputs: Uint8Array[], take: (bytes: Uint8Array) => void) => void} Run
 * @typedef {object} Contender
 * @property {string} name
 * @property {Record<import("./payloads.mjs").Payload["kind"], Run>} runs
 */

export { consume };

/** The module as the npm package carries it. */
export async function loadOurs() {
  const folder = new URL("../pkg/", import.meta.url);
  const { initSync } = await import(new URL("core.js", folder).href);
  const file = readFileSync(new URL("core_bg.wasm", folder));
  const wasm = /** @type {import("../js/src/bytes.mjs").Exports} */ (initSync({ module: file }));
  return { wasm, file, bytes: new Bytes(wasm) };
}

/** @param {Bytes} bytes @param {"owned" | "view"} how @returns {Contender} */
export function ours(bytes, how) {
  const result = how === "owned" ? () => bytes.owned() : () => bytes.view();
  const getTask = bytes.operation("GetTask");
  const subscribe = bytes.operation("SubscribeToTask");
  const id = encoder.encode("7");
  return {
    name: how,
    runs: {
      request: ([input], take) => {
        if (bytes.request(/** @type {Uint8Array} */ (input), V0_3) < 0) throw new Error("refused");
        take(result());
      },
      task: ([input], take) => {
        if (bytes.answer(/** @type {Uint8Array} */ (input), getTask, V1_0) < 0) throw new Error("refused");
        take(result());
      },
      stream: (chunks, take) => {
        const stream = bytes.stream(id, subscribe, V1_0, 4 << 20);
        for (const chunk of chunks) {
          if (bytes.push(stream, chunk) !== 0) throw new Error("ended");
          take(result());
        }
        bytes.finish(stream);
        bytes.free(stream);
      },
    },
  };
}

/** `JSON.parse` and `JSON.stringify`: what any JavaScript implementation pays. @returns {Contender} */
export function floor() {
  const again = (/** @type {string} */ text) => JSON.stringify(JSON.parse(text));
  /** @type {Run} */
  const whole = ([input], take) => take(encoder.encode(again(decoder.decode(input))));
  return { name: "floor", runs: { request: whole, task: whole, stream: (chunks, take) => eachEvent(chunks, again, take) } };
}

/**
 * Cuts a stream into its events and translates each, the least a JavaScript implementation can do: what a chunk
 * completes is encoded at once.
 * @param {Uint8Array[]} chunks
 * @param {(data: string) => string} translate
 * @param {(bytes: Uint8Array) => void} take
 */
function eachEvent(chunks, translate, take) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for (const chunk of chunks) {
    const text = rest + decoder.decode(chunk, { stream: true });
    let out = "";
    let start = 0;
    for (let end; (end = text.indexOf("\n\n", start)) >= 0; start = end + 2) {
      out += `data: ${translate(text.slice(start + "data: ".length, end))}\n\n`;
    }
    rest = text.slice(start);
    if (out !== "") take(encoder.encode(out));
  }
}

const require = createRequire(import.meta.url);

/** What a2a-js's bundle defines but does not export. */
const HIDDEN = ["toCoreSendMessageRequest", "toCompatTask", "toCompatStreamResponse"];

/**
 * `@a2a-js/sdk`, wire to wire. Its translators are not exported, so the published bundle is loaded with one export
 * line behind it.
 * @returns {Promise<Contender & { version: string }>}
 */
export async function a2aJs() {
  const server = pathToFileURL(require.resolve("@a2a-js/sdk/compat/v0_3/server")).href.replace(/\.cjs$/, ".js");
  const hooks = `
    export async function load(url, context, next) {
      const loaded = await next(url, context);
      if (url !== ${JSON.stringify(server)}) return loaded;
      return { ...loaded, source: loaded.source + "\\nexport { ${HIDDEN.join(", ")} };" };
    }`;
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
  const { toCoreSendMessageRequest, toCompatTask, toCompatStreamResponse } = await import(server);
  const { SendMessageRequest, Task, StreamResponse } = await import("@a2a-js/sdk");
  const { version } = JSON.parse(readFileSync(new URL("../node_modules/@a2a-js/sdk/package.json", import.meta.url), "utf8"));
  return {
    name: "a2a-js",
    version,
    runs: {
      request: ([input], take) => {
        const { id, ...compat } = JSON.parse(decoder.decode(input));
        const params = SendMessageRequest.toJSON(toCoreSendMessageRequest(compat));
        take(encoder.encode(JSON.stringify({ jsonrpc: "2.0", id, method: "SendMessage", params })));
      },
      task: ([input], take) => {
        const { id, result } = JSON.parse(decoder.decode(input));
        take(encoder.encode(JSON.stringify({ jsonrpc: "2.0", id, result: toCompatTask(Task.fromJSON(result)) })));
      },
      stream: (chunks, take) =>
        eachEvent(
          chunks,
          (data) => {
            const { id, result } = JSON.parse(data);
            return JSON.stringify(toCompatStreamResponse(StreamResponse.fromJSON(result), id));
          },
          take,
        ),
    },
  };
}
