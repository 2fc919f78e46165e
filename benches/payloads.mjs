// The payloads, made by arithmetic: the same bytes every time, everywhere.

const encoder = new TextEncoder();

/** Mulberry32. @param {number} seed */
function random(seed) {
  return (/** @type {number} */ below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const WORDS = "the agent has read your request and will book a table near the station for four people at seven".split(" ");

/** @param {(below: number) => number} r @param {number} length */
function prose(r, length) {
  let text = "";
  while (text.length < length) text += `${WORDS[r(WORDS.length)]} `;
  return text.slice(0, length);
}

/** @param {unknown} params */
const request = (params) => ({ jsonrpc: "2.0", id: "req-1", method: "message/send", params });

/** @param {unknown[]} parts */
const userMessage = (parts) => ({
  kind: "message",
  messageId: "9f2c51d6-3c63-44ad-a3b5-2f0d6f0a9c11",
  role: "user",
  parts,
});

/**
 * JSON text of exactly `size` bytes: `make(filler)` must grow by as many bytes as `filler` is long.
 * @param {number} size
 * @param {(filler: string) => unknown} make
 */
function exactly(size, make) {
  const shortest = encoder.encode(JSON.stringify(make(""))).length;
  const filler = size - shortest;
  if (filler < 0 || filler > size / 20) throw new Error(`the payload has ${shortest} bytes without filler, too far from ${size}`);
  const bytes = encoder.encode(JSON.stringify(make("x".repeat(filler))));
  if (bytes.length !== size) throw new Error(`the payload has ${bytes.length} bytes instead of ${size}`);
  return bytes;
}

/** 563 B: a small `message/send` with a text and a data part. */
function small() {
  return exactly(563, (filler) =>
    request({
      message: {
        ...userMessage([
          { kind: "text", text: `Book a table for four near the station, tomorrow at seven.${filler}` },
          { kind: "data", data: { people: 4, at: "2025-06-01T19:00:00Z", near: { lat: 52.52, lon: 13.37 } } },
        ]),
        contextId: "ctx-5f0c7a",
        metadata: { trace: "00-4bf92f3577b34da6a3ce929d0e0e4736-01" },
      },
      configuration: { acceptedOutputModes: ["text/plain", "application/json"], blocking: true, historyLength: 10 },
    }),
  );
}

/** 87 KB: the answer to GetTask of a v1.0 agent, 60 messages of history and 20 artifacts. */
function task() {
  const r = random(2);
  const history = Array.from({ length: 60 }, (_, i) => ({
    messageId: `msg-${i}`,
    contextId: "ctx-5f0c7a",
    taskId: "task-8821",
    role: i % 2 === 0 ? "ROLE_USER" : "ROLE_AGENT",
    parts: [{ text: prose(r, 560 + r(240)) }, ...(i % 3 === 0 ? [{ data: { step: i, scores: [0.25, 0.5, 0.125 * i], ok: true } }] : [])],
    ...(i % 4 === 0 ? { metadata: { seen: true, rank: i } } : {}),
  }));
  const artifacts = Array.from({ length: 20 }, (_, i) => ({
    artifactId: `artifact-${i}`,
    name: `Result ${i}`,
    description: prose(r, 60),
    parts: [
      { text: prose(r, 1300 + r(346)) },
      { url: `https://files.test/result-${i}.pdf`, filename: `result-${i}.pdf`, mediaType: "application/pdf" },
    ],
  }));
  const status = { state: "TASK_STATE_COMPLETED", timestamp: "2025-06-01T19:00:00.123Z" };
  return exactly(87_000, (filler) => ({
    jsonrpc: "2.0",
    id: 7,
    result: { id: "task-8821", contextId: "ctx-5f0c7a", status, artifacts, history, metadata: { note: filler } },
  }));
}

/** 5.2 MB: a `message/send` with one file part, its bytes in base64. */
function file() {
  const r = random(3);
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const chunk = Array.from({ length: 4096 }, () => digits[r(64)]).join("");
  const bytes = chunk.repeat(1269);
  return exactly(5_200_000, (filler) =>
    request({
      message: { ...userMessage([{ kind: "file", file: { name: "scan.tiff", mimeType: "image/tiff", bytes } }]), metadata: { note: filler } },
    }),
  );
}

/** 1.06 MB: a data part, deeply nested, short keys and strings. */
function nested() {
  const r = random(5);
  const keys = "id name kind at by ok items next left right value unit size tags ref lat lon note step sum".split(" ");
  const word = () => Array.from({ length: r(9) }, () => String.fromCharCode(97 + r(26))).join("");
  let budget = 0;
  /** @param {number} depth @returns {unknown} */
  const value = (depth) => {
    budget -= 1;
    const kind = depth > 0 && budget > 0 ? r(9) : 4 + r(5);
    if (kind < 3) {
      const first = r(keys.length - 5);
      return Object.fromEntries(keys.slice(first, first + 1 + r(5)).map((key) => [key, value(depth - 1)]));
    }
    if (kind === 3) return Array.from({ length: 1 + r(5) }, () => value(depth - 1));
    if (kind === 4) return r(100_000) / 8;
    if (kind === 5) return [true, false, null][r(3)];
    return word();
  };
  /** Objects in objects, `depth` deep, with a bush on each. @param {number} depth @returns {unknown} */
  const chain = (depth) => {
    budget = 12;
    return { id: word(), value: value(4), next: depth === 0 ? null : chain(depth - 1) };
  };
  const data = { items: /** @type {unknown[]} */ ([]) };
  for (let size = 0; ; ) {
    const item = chain(20 + r(41));
    size += JSON.stringify(item).length + 1;
    if (size > 1_059_000) break;
    data.items.push(item);
  }
  return exactly(1_060_000, (filler) =>
    request({ message: { ...userMessage([{ kind: "data", data }]), metadata: { note: filler } } }),
  );
}

/** 4 MB: a text part with many escapes and characters beyond ASCII. */
function escapes() {
  const r = random(6);
  const pieces = ["\n", "\t", '"', "\\", "é", "ß", "漢字", "😀", "→", " and ", "the ", "quick ", "word, ", "42 "];
  const paragraph = Array.from({ length: 40_000 }, () => pieces[r(pieces.length)]).join("");
  const size = encoder.encode(JSON.stringify(paragraph)).length - 2;
  const text = paragraph.repeat(Math.floor(3_990_000 / size));
  return exactly(4_000_000, (filler) =>
    request({ message: { ...userMessage([{ kind: "text", text }]), metadata: { note: filler } } }),
  );
}

/**
 * One event of a v1.0 agent's stream, as JSON text.
 * @param {(below: number) => number} r
 * @param {number} i
 * @param {number} text length of the text in it
 */
function event(r, i, text) {
  const ids = { taskId: "task-8821", contextId: "ctx-5f0c7a" };
  const result =
    i % 5 === 0
      ? {
          statusUpdate: {
            ...ids,
            status: {
              state: "TASK_STATE_WORKING",
              message: { messageId: `msg-${i}`, role: "ROLE_AGENT", parts: [{ text: prose(r, text - 40) }] },
              timestamp: "2025-06-01T19:00:00.123Z",
            },
          },
        }
      : { artifactUpdate: { ...ids, artifact: { artifactId: "a-1", name: "Answer", parts: [{ text: prose(r, text) }] }, append: i % 5 > 1 } };
  return JSON.stringify({ jsonrpc: "2.0", id: 7, result });
}

/**
 * A v1.0 agent's stream as server-sent events, each as bytes.
 * @param {number} count
 * @param {number} text
 */
export function events(count, text) {
  const r = random(4);
  return Array.from({ length: count }, (_, i) => encoder.encode(`data: ${event(r, i, text)}\n\n`));
}

/** Bytes in pieces of `size`. @param {Uint8Array} bytes @param {number} size */
export function cut(bytes, size) {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

/** 10,000 events of about 300 B, whole. */
function stream() {
  return events(10_000, 104);
}

/**
 * @typedef {object} Payload
 * @property {string} name its column in the table
 * @property {string} what
 * @property {"request" | "task" | "stream"} kind
 * @property {Uint8Array[]} inputs what one run takes: one text, or a stream's chunks
 */

/** @type {Record<string, () => Payload>} */
const PAYLOADS = {
  a: () => one("a", "563 B message/send, v0.3 to v1.0", "request", small()),
  b: () => one("b", "87 KB task, 60 messages, 20 artifacts, v1.0 to v0.3", "task", task()),
  c: () => one("c", "5.2 MB message/send with a base64 file", "request", file()),
  d: () => {
    const chunks = cut(Buffer.concat(stream()), 64 << 10);
    return { name: "d 64K", what: "10,000 events of 300 B in 64 KB chunks, v1.0 to v0.3", kind: "stream", inputs: chunks };
  },
  "d1": () => ({ name: "d per event", what: "the same, an event per call", kind: "stream", inputs: stream() }),
  e: () => one("e", "1.06 MB message/send, nested data, short strings", "request", nested()),
  f: () => one("f", "4 MB message/send, escapes and non-ASCII", "request", escapes()),
};

/** @param {string} name @param {string} what @param {"request" | "task"} kind @param {Uint8Array} bytes @returns {Payload} */
const one = (name, what, kind, bytes) => ({ name, what, kind, inputs: [bytes] });

/** The payloads' keys, in the table's order. */
export const KEYS = Object.keys(PAYLOADS);

/** Makes a payload. @param {string} key */
export function payload(key) {
  const make = PAYLOADS[key];
  if (make === undefined) throw new Error(`no payload ${key}: ${KEYS.join(", ")}`);
  return make();
}
