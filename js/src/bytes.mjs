// Bytes in, bytes out: the fast way into the WebAssembly module. What the numbers mean is said in src/npm/mod.rs.

/**
 * What the module exports, as `initSync` of the generated glue gives it.
 * @typedef {object} Exports
 * @property {WebAssembly.Memory} memory
 * @property {(len: number) => number} input
 * @property {() => number} result_ptr
 * @property {() => number} result_len
 * @property {() => number} notice_count
 * @property {() => void} notices
 * @property {(len: number) => number} operation
 * @property {(len: number) => number} shape
 * @property {(len: number, from: number) => number} request
 * @property {(len: number, operation: number, from: number) => number} answer
 * @property {(len: number, shape: number, from: number, to: number, mode: number) => number} object
 * @property {(len: number, operation: number, from: number, maxEventBytes: number) => number} stream
 * @property {(stream: number, len: number) => number} stream_push
 * @property {(stream: number) => number} stream_wake_after
 * @property {(stream: number) => number} stream_woke
 * @property {(stream: number, broken: boolean) => number} stream_finish
 * @property {(stream: number) => void} stream_free
 */

/** What a translation had to drop, default or coerce. @typedef {{ code: string, path: string, outputPath: string, level: "warning" | "info" }} Notice */

/** Versions by number. */
export const V0_3 = 0;
export const V1_0 = 1;

/** Dialects by number. */
export const J3 = 0;
export const R3 = 1;
export const P1 = 2;

/** Results up to this size are copied into a shared slab, which is faster than an allocation each. */
const SLAB_RESULT = 8 << 10;
const SLAB = 64 << 10;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Calls on one instance of the module. Its methods return what the export of the same name returns. */
export class Bytes {
  /** @param {Exports} wasm */
  constructor(wasm) {
    this.wasm = wasm;
    this.memory = new Uint8Array(wasm.memory.buffer);
    this.slab = new Uint8Array(0);
    this.slabUsed = 0;
  }

  /** Puts the input where the next call expects it. @param {Uint8Array} input */
  put(input) {
    const at = this.wasm.input(input.length) >>> 0;
    this.current().set(input, at);
    return input.length;
  }

  /** The module's memory: another array after it has grown. */
  current() {
    if (this.memory.length === 0) this.memory = new Uint8Array(this.wasm.memory.buffer);
    return this.memory;
  }

  /** The last result where it lies: valid until the next call. */
  view() {
    const start = this.wasm.result_ptr() >>> 0;
    return this.current().subarray(start, start + (this.wasm.result_len() >>> 0));
  }

  /** The last result as bytes of one's own. */
  owned() {
    const start = this.wasm.result_ptr() >>> 0;
    const len = this.wasm.result_len() >>> 0;
    const memory = this.current();
    if (len > SLAB_RESULT) return memory.slice(start, start + len);
    if (this.slabUsed + len > this.slab.length) {
      this.slab = new Uint8Array(SLAB);
      this.slabUsed = 0;
    }
    const copy = this.slab.subarray(this.slabUsed, (this.slabUsed += len));
    copy.set(memory.subarray(start, start + len));
    return copy;
  }

  /** The last call's losses. Takes the result's place. @returns {Notice[]} */
  notices() {
    if (this.wasm.notice_count() === 0) return [];
    this.wasm.notices();
    return JSON.parse(decoder.decode(this.view()));
  }

  /** The number of an operation, by its name or a method's. @param {string} name */
  operation(name) {
    return known(name, this.wasm.operation(this.put(encoder.encode(name))));
  }

  /** The number of a shape. @param {string} name */
  shape(name) {
    return known(name, this.wasm.shape(this.put(encoder.encode(name))));
  }

  /** @param {Uint8Array} input @param {number} from */
  request(input, from) {
    return this.wasm.request(this.put(input), from);
  }

  /** @param {Uint8Array} input @param {number} operation @param {number} from */
  answer(input, operation, from) {
    return this.wasm.answer(this.put(input), operation, from);
  }

  /** @param {Uint8Array} input @param {number} shape @param {number} from @param {number} to @param {number} mode */
  object(input, shape, from, to, mode) {
    return this.wasm.object(this.put(input), shape, from, to, mode);
  }

  /** @param {Uint8Array} id the JSON text of the client's id @param {number} operation @param {number} from @param {number} maxEventBytes */
  stream(id, operation, from, maxEventBytes) {
    return known("stream", this.wasm.stream(this.put(id), operation, from, maxEventBytes));
  }

  /** @param {number} stream @param {Uint8Array} chunk */
  push(stream, chunk) {
    return this.wasm.stream_push(stream, this.put(chunk));
  }

  /** @param {number} stream @param {boolean} [broken] */
  finish(stream, broken = false) {
    return this.wasm.stream_finish(stream, broken);
  }

  /** @param {number} stream */
  free(stream) {
    this.wasm.stream_free(stream);
  }
}

/** @param {string} name @param {number} number */
function known(name, number) {
  if (number < 0) throw new RangeError(`unknown: ${name}`);
  return number;
}
