// What crosses the gateway in a call and its answer, and what becomes of agents that do not answer as they should.
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { before, describe, test } from "node:test";
import { startRawAgent } from "../peers/raw-agent.mjs";
import { CARD_PATHS, LIMIT, codeOf, gateway, started, stage } from "./stage.mjs";
import { SAY, readEvents, request } from "./wire.mjs";

const EXTENSION = "https://example.com/extensions/politeness/v1";

let v10, v03, open, exchange;
before(async () => {
  ({ v10, v03, open, exchange } = await stage());
});

describe("what crosses the gateway", () => {
  test("ids are echoed as they were written", LIMIT, async () => {
    for (const id of ["9007199254740993", "12345678901234567890", '"ünï\\u0020"', "null", "-1", "0"]) {
      const body = `{"jsonrpc":"2.0","id":${id},"method":"tasks/get","params":{"id":"t"}}`;
      const { response } = await exchange("0.3", "get", (call) => call.json({ result: SAY["1.0"].task("working") }), { init: { method: "POST", headers: { "content-type": "application/json" }, body } });
      assert.match(await response.text(), new RegExp(`"id":${id.replaceAll("\\", "\\\\")}[,}]`));
    }
  });

  test("numbers of any size in metadata arrive as they were written, both ways", LIMIT, async () => {
    const metadata = '{"big":12345678901234567890,"huge":1e400,"one":1.0,"deep":[{"tiny":1E-400}],"esc":"\\u00e4\\/"}';
    const bodies = {
      "0.3": `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"metadata":${metadata},"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"data","data":${metadata},"metadata":${metadata}}],"metadata":${metadata}}}}`,
      "1.0": `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"metadata":${metadata},"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${metadata},"metadata":${metadata}}],"metadata":${metadata}}}}`,
    };
    const answers = {
      "1.0": `{"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"r","role":"ROLE_AGENT","parts":[{"data":${metadata}}],"metadata":${metadata}}}}`,
      "0.3": `{"jsonrpc":"2.0","id":1,"result":{"kind":"message","messageId":"r","role":"agent","parts":[{"kind":"data","data":${metadata}}],"metadata":${metadata}}}`,
    };
    for (const [version, other] of [["0.3", "1.0"], ["1.0", "0.3"]]) {
      const { headers } = request(version, "send");
      const { response, call } = await exchange(version, "send", (each) => each.json(answers[other]), { init: { method: "POST", headers, body: bodies[version] } });
      assert.equal(call.text.split(metadata).length - 1, 4, call.text);
      const text = await response.text();
      assert.equal(text.split(metadata).length - 1, 2, text);
    }
  });

  test("a request of the agent's own version goes on byte for byte, and so does the answer", LIMIT, async () => {
    for (const [agent, version] of [[v10, "1.0"], [v03, "0.3"]]) {
      const { body, ...init } = request(version, "get");
      const odd = body.replaceAll(":", " :\n ").replace('"params"', '"vendor" : 1e400, "params"');
      const answer = `{ "result" : ${JSON.stringify(version === "1.0" ? SAY["1.0"].task("working") : SAY["0.3"].task("working"))}, "id":"1","jsonrpc":"2.0", "x":1.0 }`;
      const { response, call } = await exchange(version, "get", (each) => each.json(answer, { "x-of-the-agent": "yes" }), {
        url: `${open.url}/agents/${version === "1.0" ? "v10" : "v03"}`, agent, init: { ...init, body: odd },
      });
      assert.equal(call.text, odd);
      assert.equal(await response.text(), answer);
      assert.equal(response.headers.get("x-of-the-agent"), "yes");
    }
  });

  test("a stream of the agent's own version goes on as it is", LIMIT, async () => {
    const { response, call } = await exchange("1.0", "stream", async (each) => {
      each.stream();
      await each.event({ result: SAY["1.0"].taskEvent("working") });
    }, { url: `${open.url}/agents/v10`, agent: v10 });
    const events = readEvents(response);
    assert.deepEqual((await events.next()).data.result, SAY["1.0"].taskEvent("working"));
    await call.event({ result: SAY["1.0"].status("completed") });
    assert.deepEqual((await events.next()).data.result, SAY["1.0"].status("completed"));
    call.end();
    assert.equal(await events.next(), undefined);
  });

  test("credentials, tracing and custom headers reach the agent; those of the connection and of browsers do not", LIMIT, async () => {
    const kept = { authorization: "Bearer t", "x-api-key": "k", traceparent: "00-1-2-03", "x-custom": "c", "accept-language": "de" };
    const dropped = { cookie: "c=1", origin: "https://evil.example", forwarded: "for=1.2.3.4", "x-forwarded-for": "1.2.3.4", "cf-connecting-ip": "1.2.3.4", "x-gateway-token": "g" };
    const { body, headers } = request("0.3", "get");
    const sent = new Promise((resolve, reject) => { // fetch would not send a Cookie or an Origin
      const outgoing = httpRequest(`${open.url}/jsonrpc`, { method: "POST", headers: { ...headers, ...kept, ...dropped, "content-length": Buffer.byteLength(body) } }, (response) => {
        response.resume().on("end", () => resolve(response));
      });
      outgoing.on("error", reject).end(body);
    });
    const call = await v10.call();
    call.json({ result: SAY["1.0"].task("working") }, { "set-cookie": "s=1", etag: '"e"', "x-of-the-agent": "yes", "a2a-extensions": EXTENSION });
    for (const [name, value] of Object.entries(kept)) assert.equal(call.headers[name], value);
    for (const [name, value] of Object.entries(dropped)) assert.notEqual(call.headers[name], value, name);
    assert.equal(call.headers["a2a-version"], "1.0");
    assert.equal(call.headers["a2a-compat-hops"], "1");
    assert.equal(call.headers.host, new URL(v10.url).host);
    const { headers: got } = await sent;
    assert.deepEqual([got["set-cookie"], got.etag, got["x-of-the-agent"]], [undefined, undefined, "yes"]);
    assert.deepEqual([got["x-a2a-extensions"], got["a2a-extensions"]], [EXTENSION, undefined]);
  });

  test("a v0.3 agent is not told a version it does not know", LIMIT, async () => {
    const { call } = await exchange("1.0", "get", (each) => each.json({ result: SAY["0.3"].task("working") }), { headers: { "a2a-extensions": EXTENSION } });
    assert.deepEqual([call.headers["a2a-version"], call.headers["x-a2a-extensions"], call.headers["a2a-extensions"]], [undefined, EXTENSION, undefined]);
  });

  test("what a translation lost is in the A2A-Compat-Notices header", LIMIT, async () => {
    const { response } = await exchange("0.3", "get", (call) => call.json({ result: SAY["1.0"].task("working") }), { params: { id: "t", historyLength: 0, metadata: { a: 1 } } });
    assert.deepEqual(response.headers.get("a2a-compat-notices").split(/,\s*/).sort(), ["history_length_zero", "metadata_dropped"]);
    const { response: clean } = await exchange("0.3", "get", (call) => call.json({ result: SAY["1.0"].task("working") }));
    assert.equal(clean.headers.get("a2a-compat-notices"), null);
  });

  test("a request is one JSON line in the log, without its content or credentials", LIMIT, async () => {
    const from = open.logs.length;
    await exchange("0.3", "send", (call) => call.json({ result: { task: SAY["1.0"].task("working") } }), { text: "private words", headers: { authorization: "Bearer private-token" } });
    const line = JSON.parse(await open.log((text) => text.startsWith("{") && text.includes('"operation":"SendMessage"'), from));
    const { time, ms, ...rest } = line;
    assert.ok(!Number.isNaN(Date.parse(time)) && ms >= 0, JSON.stringify(line));
    assert.deepEqual(rest, { operation: "SendMessage", clientVersion: "0.3", clientBinding: "JSONRPC", upstreamVersion: "1.0", upstreamBinding: "JSONRPC", status: 200 });
    assert.ok(!open.logs.slice(from).join("\n").includes("private"));
  });

  test("errors keep their code and message in the caller's shape", LIMIT, async () => {
    const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "TASK_NOT_FOUND", domain: "a2a-protocol.org" };
    const old = await exchange("0.3", "get", (call) => call.json({ error: { code: -32001, message: "No t", data: [info] } }));
    assert.deepEqual((await old.response.json()).error, { code: -32001, message: "No t" });
    const current = await exchange("1.0", "get", (call) => call.json({ error: { code: -32001, message: "No t", data: { hint: "x" } } }));
    const { error } = await current.response.json();
    assert.deepEqual([error.code, error.message, error.data[0]], [-32001, "No t", info]);
    assert.deepEqual(error.data[1], { "@type": "type.googleapis.com/google.protobuf.Struct", value: { hint: "x" } });
  });
});

describe("agents that do not answer as they should", () => {
  test("statuses that are about the transport stay, with their headers", LIMIT, async () => {
    for (const [status, headers] of [[401, { "www-authenticate": 'Bearer realm="a"' }], [403, {}], [429, { "retry-after": "7" }], [503, { "retry-after": "9" }], [504, {}]]) {
      for (const version of ["0.3", "1.0"]) {
        const { response } = await exchange(version, "get", (call) => call.respond(status, { "content-type": "text/plain", ...headers }, "no"));
        assert.equal(response.status, status);
        for (const [name, value] of Object.entries(headers)) assert.equal(response.headers.get(name), value);
        assert.equal(await codeOf(response), -32603);
      }
    }
  });

  test("an answer that is not A2A is an invalid agent response", LIMIT, async () => {
    for (const answer of [
      (call) => call.respond(200, { "content-type": "text/html" }, "<h1>Welcome</h1>"),
      (call) => call.respond(404, { "content-type": "text/plain" }, "nothing here"),
      (call) => call.respond(500, {}, ""),
      (call) => call.json("{"),
      (call) => call.json({ result: { what: "is this" } }),
    ]) {
      const { response } = await exchange("0.3", "send", answer);
      assert.equal(response.status, 200);
      assert.equal(await codeOf(response), -32006, String(answer));
    }
  });

  test("a JSON-RPC error is read whatever HTTP status the agent gave it", LIMIT, async () => {
    const { response } = await exchange("0.3", "get", (call) => call.respond(500, { "content-type": "application/json" }, '{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"It broke."}}'));
    const { error } = await response.json();
    assert.deepEqual([error.code, error.message], [-32603, "It broke."]);
  });

  test("an answer that breaks off is an error", LIMIT, async () => {
    const { response } = await exchange("0.3", "get", (call) => call.break());
    assert.ok((await codeOf(response)) < 0);
  });

  test("an agent that is not there is an internal error", LIMIT, async () => {
    const gone = await startRawAgent();
    await gone.stop();
    const { url } = await gateway({ UPSTREAM_URL: gone.url });
    const response = await fetch(url, request("0.3", "get"));
    assert.equal(await codeOf(response), -32603);
    assert.ok((await fetch(`${url}${CARD_PATHS[0]}`)).status >= 500);
    assert.equal((await fetch(`${url}/health`)).status, 200);
  });

  test("an agent that is too slow is an internal error, and is told", LIMIT, async () => {
    const { url } = await gateway({ UPSTREAM_URL: v10.url, UPSTREAM_TIMEOUT_SECONDS: "1" });
    const answer = fetch(url, request("0.3", "get"));
    const call = await v10.call();
    assert.equal(await call.closed, false);
    assert.equal(await codeOf(await answer), -32603);
  });

  test("a redirect is not followed", LIMIT, async () => {
    const elsewhere = started(await startRawAgent());
    const { response } = await exchange("0.3", "get", (call) => call.respond(307, { location: `${elsewhere.url}/rpc` }), { headers: { authorization: "Bearer secret" } });
    assert.ok((await codeOf(response)) < 0);
    assert.equal(elsewhere.unanswered, 0);
  });

  test("a client that leaves takes its call with it", LIMIT, async () => {
    const { body, headers, method } = request("0.3", "send");
    const outgoing = httpRequest(`${open.url}/jsonrpc`, { method, headers, agent: false });
    outgoing.on("error", () => {}); // our own reset
    outgoing.end(body);
    const call = await v10.call();
    outgoing.socket.resetAndDestroy(); // seen at once, where a quiet end is seen only by who writes
    assert.equal(await call.closed, false);
  });
});
