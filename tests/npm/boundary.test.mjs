// The npm module's byte boundary: the same translations as natively, and a scanner that accepts what JSON.parse does.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { before, describe, test } from "node:test";
import { ROOT } from "../../js/dev/lib.mjs";
import { buildWasm } from "../../js/dev/setup.mjs";
import { Bytes, J3, P1, V0_3, V1_0 } from "../../js/src/bytes.mjs";

const REQUEST = 0;
const RESULT = 1;
const encode = (text) => new TextEncoder().encode(text);
const decode = (bytes) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);
const vectors = (entity) => JSON.parse(readFileSync(`${ROOT}tests/vectors/${entity}.json`, "utf8"));

/** @type {Bytes} */
let bytes;
let wasm;
before(async () => {
  await buildWasm("npm");
  const { initSync } = await import("../../pkg/core.js");
  wasm = initSync({ module: readFileSync(`${ROOT}pkg/core_bg.wasm`) });
  bytes = new Bytes(wasm);
});

const PART = { v03: `{"kind":"file","file":{"bytes":"AQI=","mimeType":"image/png"}}`, v1: `{"raw":"AQI=","mediaType":"image/png"}` };

describe("objects", () => {
  test("go both ways, read in place or copied", () => {
    const part = bytes.shape("part");
    assert.equal(bytes.object(encode(PART.v03), part, J3, P1, REQUEST), 0);
    const [view, owned] = [bytes.view(), bytes.owned()];
    assert.equal(decode(view), PART.v1);
    assert.equal(bytes.object(encode(PART.v1), part, P1, J3, RESULT), 0);
    assert.equal(decode(bytes.owned()), PART.v03);
    assert.equal(decode(owned), PART.v1, "a copy is still what it was");
  });

  test("every vector of an object gives its value, its error and its losses", () => {
    let compared = 0;
    for (const file of readdirSync(`${ROOT}tests/vectors`).filter((name) => name.endsWith(".json"))) {
      for (const vector of vectors(file.replace(".json", ""))) {
        if (vector.embed || vector.op !== undefined || (vector.mode !== "request" && vector.mode !== "result")) continue;
        let shape;
        try {
          shape = bytes.shape(vector.entity);
        } catch {
          continue;
        }
        const [from, to] = vector.direction === "to_v1" ? [J3, P1] : [P1, J3];
        const status = bytes.object(encode(JSON.stringify(vector.input)), shape, from, to, vector.mode === "request" ? REQUEST : RESULT);
        const text = status === 1 ? "null" : decode(bytes.owned());
        const warnings = bytes.notices().filter(({ level }) => level === "warning").map(({ code }) => code);
        const { ok, error, dropped } = vector.expected;
        if (dropped) assert.equal(status, 1, vector.name);
        else if (error !== undefined) assert.deepEqual([status, JSON.parse(text).code], [-1, error.code], vector.name);
        else assert.deepEqual([status, JSON.parse(text)], [0, ok], vector.name);
        assert.deepEqual(new Set(warnings), new Set(vector.warnings), vector.name);
        compared += 1;
      }
    }
    assert.ok(compared > 300, `${compared} compared`);
  });

  test("losses name their place in both versions' terms", () => {
    bytes.object(encode(`{"text":"a","mediaType":"text/html"}`), bytes.shape("part"), P1, J3, RESULT);
    assert.deepEqual(bytes.notices(), [{ code: "part_media_type_dropped", path: "mediaType", outputPath: "mediaType", level: "warning" }]);
  });

  test("a name or number that nobody knows is refused", () => {
    assert.throws(() => bytes.shape("soup"), RangeError);
    assert.throws(() => bytes.operation("tasks/soup"), RangeError);
    assert.equal(bytes.object(encode("{}"), 99, J3, P1, REQUEST), -1);
    assert.equal(bytes.object(encode("{}"), 0, 3, P1, REQUEST), -1);
    assert.equal(bytes.request(encode("{}"), 2), -1);
    assert.equal(bytes.view().length, 0);
    assert.equal(wasm.stream_push(7, 0), -1);
  });
});

describe("JSON-RPC", () => {
  test("a request gives its operation", () => {
    const request = encode(`{"jsonrpc":"2.0","id":9007199254740993,"method":"tasks/get","params":{"id":"t"}}`);
    assert.equal(bytes.request(request, V0_3), bytes.operation("GetTask"));
    bytes.request(request, V0_3);
    assert.equal(decode(bytes.view()), `{"jsonrpc":"2.0","id":9007199254740993,"method":"GetTask","params":{"id":"t"}}`);
  });

  test("a request that cannot be understood gives the client's answer", () => {
    assert.equal(bytes.request(encode(`{"jsonrpc":"2.0","id":"a","method":"tasks/get","params":{}}`), V0_3), -1);
    const { id, error } = JSON.parse(decode(bytes.view()));
    assert.deepEqual([id, error.code, error.message], ["a", -32602, "params.id is required"]);
  });

  test("an answer is translated as its operation's", () => {
    const send = bytes.operation("message/send");
    const answer = `{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","contextId":"c","status":{"state":"completed"}}}`;
    assert.equal(bytes.answer(encode(answer), send, V0_3), 0);
    assert.deepEqual(JSON.parse(decode(bytes.view())).result, { task: { id: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } } });
    assert.equal(bytes.answer(encode(`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"m"}}`), send, V0_3), -1);
    assert.equal(JSON.parse(decode(bytes.view())).error.code, -32001);
  });
});

describe("streams", () => {
  const event = (state) => `data: {"jsonrpc":"2.0","id":1,"result":{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_${state}"}}}}\n\n`;
  const finals = (text) => [...text.matchAll(/"final":(true|false)/g)].map(([, final]) => final === "true");

  test("come out event by event, and several at a time do not mix", () => {
    const subscribe = bytes.operation("SubscribeToTask");
    const [a, b] = ["1", `"b"`].map((id) => bytes.stream(encode(id), subscribe, V1_0, 1 << 20));
    assert.equal(bytes.push(a, encode(event("WORKING"))), 0);
    const first = decode(bytes.owned());
    assert.equal(bytes.push(b, encode(event("WORKING"))), 0);
    assert.equal(decode(bytes.owned()), first.replace(`"id":1`, `"id":"b"`));
    assert.equal(bytes.push(a, encode(event("COMPLETED").slice(0, 30))), 0);
    assert.equal(bytes.view().length, 0);
    bytes.push(a, encode(event("COMPLETED").slice(30)));
    assert.deepEqual(finals(first + decode(bytes.view())), [false, true]);
    assert.equal(bytes.finish(a), 1);
    assert.equal(bytes.finish(b, true), 1);
    assert.match(decode(bytes.view()), /^event: error\ndata: \{"jsonrpc":"2.0","id":"b","error":/);
    bytes.free(a);
    assert.equal(wasm.stream_push(a, 0), -1);
    assert.equal(bytes.stream(encode("2"), subscribe, V1_0, 1 << 20), a, "its number is free again");
    bytes.free(a);
    bytes.free(b);
  });

  test("an interrupted status waits for what decides its final", () => {
    const stream = bytes.stream(encode("1"), bytes.operation("SubscribeToTask"), V1_0, 1 << 20);
    assert.equal(wasm.stream_wake_after(stream), -1);
    bytes.push(stream, encode(event("INPUT_REQUIRED")));
    assert.equal(bytes.view().length, 0);
    assert.equal(wasm.stream_wake_after(stream), 150);
    assert.equal(wasm.stream_woke(stream), 0);
    assert.deepEqual(finals(decode(bytes.view())), [false]);
    bytes.free(stream);
  });
});

describe("the scanner, with its vector instructions", () => {
  // Mulberry32: the same cases every time.
  let seed = 1;
  const random = (n) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
  const PIECES = ["{", "}", "[", "]", ",", ":", '"', "\\", "\\u00e9", "\\ud83d", "\\x", "null", "0", "-", ".", "e5", " ", "\n", "\0", "é", "😀", "a".repeat(15), "b".repeat(64)].map(encode);
  const RAW = [[0x80], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff], [0xc3]].map((piece) => Uint8Array.from(piece));

  /** Whether JavaScript reads it. */
  function isJson(text) {
    try {
      JSON.parse(decode(text));
      return true;
    } catch {
      return false;
    }
  }

  test("accepts and refuses what a fatal TextDecoder and JSON.parse do", () => {
    const inputs = ["task", "agent_card", "part", "message"].flatMap(vectors).map(({ input }) => encode(JSON.stringify(input)));
    const long = encode(JSON.stringify({ text: "x".repeat(200), list: [..."0123456789"].map((c) => c.repeat(37)), "k\n": "é".repeat(50) }));
    const part = bytes.shape("part");
    const counts = { good: 0, bad: 0 };
    for (let round = 0; round < 60_000; round++) {
      let text = Buffer.from(round % 3 === 0 ? long : inputs[random(inputs.length)]);
      for (let change = random(4); change >= 0; change--) {
        const at = random(text.length + 1);
        const end = Math.min(at + random(3), text.length);
        const piece = random(8) === 0 ? RAW[random(RAW.length)] : PIECES[random(PIECES.length)];
        text = Buffer.concat([text.subarray(0, at), piece, text.subarray(random(2) === 0 ? at : end)]);
      }
      const input = Buffer.concat([encode(`{"data":`), text, encode("}")]);
      const status = bytes.object(input, part, P1, P1, REQUEST);
      const refused = status === -1 && JSON.parse(decode(bytes.view())).code === -32700;
      assert.equal(!refused, isJson(input), input.toString("latin1"));
      counts[refused ? "bad" : "good"] += 1;
    }
    assert.ok(counts.good > 3_000 && counts.bad > 20_000, JSON.stringify(counts));
  });

  test("finds the end of strings of every length", () => {
    const part = bytes.shape("part");
    for (let length = 0; length < 200; length++) {
      for (const tail of ["", "\\", "\n", "é", '"']) {
        const input = encode(`{"text":"${"x".repeat(length)}${tail}","metadata":{"${"y".repeat(length)}":1}}`);
        const status = bytes.object(input, part, P1, P1, REQUEST);
        assert.equal(status === 0, isJson(input), `${length} ${tail}`);
        if (status === 0) assert.equal(decode(bytes.view()), decode(input));
      }
    }
  });
});
