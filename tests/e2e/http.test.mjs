// What the gateway is over HTTP: paths, cards, headers, limits, errors, configuration. The agents are played by the tests.
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { after, before, describe, test } from "node:test";
import { startGateway } from "../../js/dev/lib.mjs";
import { rawCard, startRawAgent } from "../peers/raw-agent.mjs";
import { SAY, readEvents, request } from "./wire.mjs";

const LIMIT = { timeout: 20_000 };
const TOKEN = "let-me-in";
const APP = "https://app.example";
const CARD_PATHS = ["/.well-known/agent-card.json", "/.well-known/agent.json", "/agent.json"];
const EXTENSION = "https://example.com/extensions/politeness/v1";

const running = [];
const started = (thing) => {
  running.push(thing);
  return thing;
};
const gateway = async (vars, secrets) => started(await startGateway({ vars, secrets }));
after(() => Promise.all(running.map((each) => each.stop())));

/** @type {Awaited<ReturnType<typeof startRawAgent>>} */
let v10;
/** @type {Awaited<ReturnType<typeof startRawAgent>>} */
let v03;
/** In front of both: the v1.0 agent at the root, both under /agents/. */
let open;

before(async () => {
  [v10, v03] = [started(await startRawAgent({ version: "1.0" })), started(await startRawAgent({ version: "0.3" }))];
  open = await gateway({ UPSTREAM_URL: v10.url, AGENTS: JSON.stringify({ v10: v10.url, v03: v03.url }) });
});

/** Sends to the agent of the other version and lets `answer` play the agent. */
async function exchange(version, operation, answer, options = {}) {
  const [agent, url] = version === "0.3" ? [v10, `${open.url}/jsonrpc`] : [v03, `${open.url}/agents/v03/jsonrpc`];
  const response = fetch(options.url ?? url, options.init ?? request(version, operation, options));
  const call = await (options.agent ?? agent).call();
  await answer(call);
  return { response: await response, call };
}
const post = (body, headers = {}, path = "/jsonrpc") =>
  fetch(`${open.url}${path}`, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
const codeOf = async (response) => (await response.json()).error.code;

describe("paths and methods", () => {
  test("/health answers without asking the agent", LIMIT, async () => {
    const before = v10.cardRequests.length;
    const response = await fetch(`${open.url}/health`);
    assert.equal(response.status, 200);
    assert.equal(v10.cardRequests.length, before);
  });

  test("a path that leads nowhere is 404", LIMIT, async () => {
    for (const path of ["/nothing/here", "/jsonrpc/x", "/agents/nobody/jsonrpc"]) assert.equal((await post("{}", {}, path)).status, 404, path);
  });

  test("another method on a known path is 405 and says which are allowed", LIMIT, async () => {
    for (const [method, path, allow] of [["GET", "/jsonrpc", "POST"], ["PUT", "/jsonrpc", "POST"], ["POST", "/health", "GET, HEAD"], ["DELETE", CARD_PATHS[0], "GET, HEAD"]]) {
      const response = await fetch(`${open.url}${path}`, { method });
      assert.deepEqual([response.status, response.headers.get("allow")], [405, allow], `${method} ${path}`);
    }
  });

  test("JSON-RPC is served at the base and at /jsonrpc, with and without a slash at the end", LIMIT, async () => {
    for (const path of ["", "/", "/jsonrpc", "/jsonrpc/", "/agents/v10", "/agents/v10/", "/agents/v10/jsonrpc"]) {
      const { response } = await exchange("0.3", "get", (call) => call.json({ result: SAY["1.0"].task("working") }), { url: `${open.url}${path}`, agent: v10 });
      assert.equal((await response.json()).result.status.state, "working", path);
    }
  });
});

describe("cards", () => {
  test("a v0.3 reader gets a v0.3 card with the v1.0 interfaces in it, at all three paths", LIMIT, async () => {
    for (const base of ["", "/agents/v10", "/agents/v03"]) {
      for (const path of CARD_PATHS) {
        for (const headers of [{}, { "a2a-version": "0.3" }]) {
          const response = await fetch(`${open.url}${base}${path}`, { headers });
          assert.equal(response.status, 200);
          assert.match(response.headers.get("content-type"), /^application\/json/);
          assert.match(response.headers.get("vary"), /a2a-version/i);
          const card = await response.json();
          assert.equal(card.url, `${open.url}${base}/jsonrpc`);
          assert.equal(card.preferredTransport, "JSONRPC");
          assert.match(card.protocolVersion, /^0\.3/);
          assert.equal(card.supportsAuthenticatedExtendedCard, true);
          assert.equal(card.capabilities.streaming, true);
          assert.deepEqual(card.skills.map(({ id }) => id), ["raw"]);
          const offered = card.supportedInterfaces.map(({ url, protocolBinding, protocolVersion }) => `${protocolBinding}/${protocolVersion} ${url}`);
          for (const version of ["1.0", "0.3"]) assert.ok(offered.includes(`JSONRPC/${version} ${open.url}${base}/jsonrpc`), offered.join());
        }
      }
    }
  });

  test("a v1.0 reader gets a v1.0 card and nothing of v0.3", LIMIT, async () => {
    for (const base of ["", "/agents/v10", "/agents/v03"]) {
      for (const path of CARD_PATHS) {
        const card = await (await fetch(`${open.url}${base}${path}`, { headers: { "a2a-version": "1.0" } })).json();
        for (const old of ["url", "preferredTransport", "additionalInterfaces", "protocolVersion", "supportsAuthenticatedExtendedCard", "security"]) {
          assert.ok(!(old in card), old);
        }
        assert.equal(card.capabilities.extendedAgentCard, true);
        const first = card.supportedInterfaces.find(({ protocolBinding }) => protocolBinding === "JSONRPC");
        assert.deepEqual([first.url, first.protocolVersion], [`${open.url}${base}/jsonrpc`, "1.0"]);
      }
    }
  });

  test("no URL of the agent's shows in a card", LIMIT, async () => {
    for (const version of ["0.3", "1.0"]) {
      const text = await (await fetch(`${open.url}${CARD_PATHS[0]}`, { headers: { "a2a-version": version } })).text();
      assert.ok(!text.includes(new URL(v10.url).host), text);
    }
  });

  test("a reader that has the card is told that it is still good", LIMIT, async () => {
    const url = `${open.url}${CARD_PATHS[0]}`;
    const tags = [];
    for (const version of ["0.3", "1.0"]) {
      const response = await fetch(url, { headers: { "a2a-version": version } });
      assert.ok(response.headers.get("cache-control"));
      const etag = response.headers.get("etag");
      assert.match(etag, /^"/, "a strong ETag");
      tags.push(etag);
      assert.equal((await fetch(url, { headers: { "a2a-version": version, "if-none-match": etag } })).status, 304);
    }
    assert.notEqual(tags[0], tags[1]);
  });

  test("HEAD has the headers of GET and no body", LIMIT, async () => {
    const response = await fetch(`${open.url}${CARD_PATHS[0]}`, { method: "HEAD" });
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type"), /^application\/json/);
    assert.equal(await response.text(), "");
  });

  test("the agent's card is read once and then trusted", LIMIT, async () => {
    const agent = started(await startRawAgent());
    const { url } = await gateway({ UPSTREAM_URL: agent.url });
    for (let index = 0; index < 3; index++) await fetch(`${url}${CARD_PATHS[0]}`);
    assert.equal(agent.cardRequests.length, 1);
  });

  test("UPSTREAM_URL may be the card's URL", LIMIT, async () => {
    const { url } = await gateway({ UPSTREAM_URL: `${v10.url}/.well-known/agent-card.json` });
    assert.equal((await (await fetch(`${url}${CARD_PATHS[0]}`)).json()).name, "Raw agent");
  });

  test("a legacy reader is refused where no 0.3 is offered", LIMIT, async () => {
    const { url } = await gateway({ UPSTREAM_URL: v10.url, OFFER: "JSONRPC/1.0" });
    const refused = await fetch(`${url}${CARD_PATHS[0]}`);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /-32009/);
    const card = await (await fetch(`${url}${CARD_PATHS[0]}`, { headers: { "a2a-version": "1.0" } })).json();
    assert.deepEqual(card.supportedInterfaces.map(({ protocolBinding, protocolVersion }) => `${protocolBinding}/${protocolVersion}`), ["JSONRPC/1.0"]);
    const call = await fetch(`${url}/jsonrpc`, request("0.3", "get"));
    assert.equal(await codeOf(call), -32009);
  });

  test("interface URLs may be relative to the card's", LIMIT, async () => {
    const agent = started(await startRawAgent({ card: () => rawCard("1.0", "/rpc") }));
    const { url } = await gateway({ UPSTREAM_URL: agent.url });
    const { response, call } = await exchange("0.3", "get", (each) => each.json({ result: SAY["1.0"].task("working") }), { url, agent });
    assert.equal(call.path, "/rpc");
    assert.equal((await response.json()).result.id, "t");
  });

  test("an interface elsewhere is refused and not called, unless UPSTREAM_ORIGINS has it", LIMIT, async () => {
    const elsewhere = started(await startRawAgent());
    const agent = started(await startRawAgent({ card: () => rawCard("1.0", `${elsewhere.url}/rpc`) }));
    const strict = await gateway({ UPSTREAM_URL: agent.url });
    const refused = await (await fetch(strict.url, request("0.3", "get", { headers: { authorization: "Bearer secret" } }))).json();
    assert.ok(refused.error.code < 0);
    assert.equal(elsewhere.unanswered, 0);
    const lenient = await gateway({ UPSTREAM_URL: agent.url, UPSTREAM_ORIGINS: elsewhere.url });
    const { response } = await exchange("0.3", "get", (call) => call.json({ result: SAY["1.0"].task("working") }), { url: lenient.url, agent: elsewhere });
    assert.equal((await response.json()).result.id, "t");
  });

  test("an agent whose card is wrong about its version is asked in the other, and so from then on", LIMIT, async () => {
    const agent = started(await startRawAgent({ version: "1.0" })); // but it speaks 0.3
    const { url, log } = await gateway({ UPSTREAM_URL: agent.url });
    const first = fetch(url, request("1.0", "get"));
    const refused = await agent.call();
    assert.equal(refused.rpc.method, "GetTask");
    refused.json({ error: { code: -32601, message: "Method not found" } });
    const again = await agent.call();
    assert.equal(again.rpc.method, "tasks/get");
    again.json({ result: SAY["0.3"].task("working") });
    assert.equal((await (await first).json()).result.status.state, "TASK_STATE_WORKING");
    await log(/remarks/);
    const second = fetch(url, request("1.0", "get"));
    const call = await agent.call();
    assert.equal(call.rpc.method, "tasks/get");
    call.json({ result: SAY["0.3"].task("completed") });
    assert.equal((await (await second).json()).result.status.state, "TASK_STATE_COMPLETED");
  });
});

describe("bad requests", () => {
  test("invalid JSON is a parse error", LIMIT, async () => {
    for (const body of ["", "{", '{"jsonrpc":"2.0",}', '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":NaN}}', "\u0000"]) {
      const response = await post(body);
      assert.equal(response.status, 200);
      const { id, error } = await response.json();
      assert.deepEqual([id, error.code], [null, -32700], body);
    }
  });

  test("a batch, and whatever else is no request, is an invalid request", LIMIT, async () => {
    const one = '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t"}}';
    for (const body of [`[${one},${one}]`, "[]", "1", '"x"', "null", "{}", '{"jsonrpc":"2.0","id":1}', one.replace('"id":1', '"id":1.5'), one.replace('"id":1', '"id":{}')]) {
      const response = await post(body);
      assert.equal(response.status, 200);
      assert.equal(await codeOf(response), -32600, body);
    }
  });

  test("invalid params are refused with the field's name, and the agent is not asked", LIMIT, async () => {
    for (const [params, field] of [
      [{ message: { ...SAY["0.3"].message("x"), parts: [{ kind: "text", text: "a" }, { kind: "text", text: 1 }] } }, "params.message.parts[1].text"],
      [{ message: { ...SAY["0.3"].message("x"), messageId: undefined } }, "params.message.messageId"],
      [{}, "params.message"],
    ]) {
      const { error } = await (await fetch(`${open.url}/jsonrpc`, request("0.3", "send", { params }))).json();
      assert.equal(error.code, -32602);
      assert.ok(error.message.includes(field), `${error.message} should name ${field}`);
    }
    assert.equal(v10.unanswered, 0);
  });

  test("an unknown method is not found in v0.3's shape", LIMIT, async () => {
    const response = await post('{"jsonrpc":"2.0","id":"m","method":"vendor.thing"}');
    assert.equal(response.status, 200);
    const { id, error } = await response.json();
    assert.deepEqual([id, error.code], ["m", -32601]);
    assert.equal(v10.unanswered, 0);
  });

  test("an unknown method goes untouched to an agent of the header's version", LIMIT, async () => {
    const body = '{ "jsonrpc":"2.0", "id":1, "method":"vendor.thing", "params":[1e400] }';
    const init = (headers) => ({ method: "POST", headers: { "content-type": "application/json", ...headers }, body });
    for (const [agent, path, headers] of [[v03, "/agents/v03", {}], [v10, "/agents/v10", { "a2a-version": "1.0" }]]) {
      const { response, call } = await exchange("0.3", "send", (each) => each.json('{"jsonrpc":"2.0", "id":1, "result":12345678901234567890}'), { url: `${open.url}${path}`, agent, init: init(headers) });
      assert.equal(call.text, body);
      assert.equal(await response.text(), '{"jsonrpc":"2.0", "id":1, "result":12345678901234567890}');
    }
  });

  test("a body that is not JSON by its type is 415", LIMIT, async () => {
    for (const type of ["text/plain", "application/xml", "multipart/form-data; boundary=x"]) {
      const response = await post('{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t"}}', { "content-type": type });
      assert.equal(response.status, 415, type);
      assert.equal(await codeOf(response), -32600);
    }
    assert.equal(v10.unanswered, 0);
  });

  test("a JSON type with parameters is fine", LIMIT, async () => {
    const { response } = await exchange("0.3", "get", (call) => call.json({ result: SAY["1.0"].task("working") }), { headers: { "content-type": "application/json; charset=utf-8" } });
    assert.equal(response.status, 200);
  });

  test("a version that is not known or not offered is refused with those that are", LIMIT, async () => {
    for (const [version, operation] of [["2.0", "get"], ["0.9", "get"], ["nonsense", "get"]]) {
      const response = await fetch(`${open.url}/jsonrpc`, request("0.3", operation, { headers: { "a2a-version": version } }));
      const { error } = await response.json();
      assert.equal(error.code, -32009, version);
      assert.match(JSON.stringify(error.data), /1\.0/);
    }
  });

  test("the method decides about the version, also against the header", LIMIT, async () => {
    const { response } = await exchange("0.3", "get", (call) => call.json({ result: SAY["1.0"].task("working") }), { headers: { "a2a-version": "1.0" } });
    assert.equal((await response.json()).result.kind, "task");
  });

  test("the header decides under VERSION_DISPATCH=header", LIMIT, async () => {
    const { url } = await gateway({ UPSTREAM_URL: v10.url, VERSION_DISPATCH: "header" });
    const { headers: { "a2a-version": _version, ...headers }, ...init } = request("1.0", "get");
    assert.equal(await codeOf(await fetch(url, { ...init, headers })), -32009);
  });

  test("a request that went through too many gateways ends", LIMIT, async () => {
    const response = await fetch(`${open.url}/jsonrpc`, request("0.3", "get", { headers: { "a2a-compat-hops": "4" } }));
    assert.equal(response.status, 508);
    assert.equal(v10.unanswered, 0);
  });
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
      (call) => call.json({ result: 7 }),
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
    const leaving = new AbortController();
    const answer = fetch(`${open.url}/jsonrpc`, request("0.3", "send", { signal: leaving.signal }));
    const call = await v10.call();
    leaving.abort();
    await assert.rejects(answer);
    assert.equal(await call.closed, false);
  });
});

describe("guards", () => {
  let guarded;
  before(async () => {
    guarded = await gateway(
      { UPSTREAM_URL: v10.url, CORS_ORIGINS: APP, MAX_BODY_BYTES: "2000" },
      { GATEWAY_TOKEN: TOKEN, UPSTREAM_HEADERS: JSON.stringify({ "x-api-key": "the operator's" }) },
    );
  });
  const withToken = { "x-gateway-token": TOKEN };
  const answered = (init) => exchange("0.3", "get", (call) => call.json({ result: SAY["1.0"].task("working") }), { url: `${guarded.url}/jsonrpc`, init });

  test("GATEWAY_TOKEN is asked for, and goes no further", LIMIT, async () => {
    for (const headers of [{}, { "x-gateway-token": "" }, { "x-gateway-token": `${TOKEN}x` }]) {
      const response = await fetch(`${guarded.url}/jsonrpc`, request("0.3", "get", { headers }));
      assert.equal(response.status, 401);
      assert.equal(await codeOf(response), -32603);
    }
    assert.equal(v10.unanswered, 0);
    const { response, call } = await answered(request("0.3", "get", { headers: withToken }));
    assert.equal(response.status, 200);
    assert.ok(!JSON.stringify(call.headers).includes(TOKEN));
  });

  test("public cards, /health and preflights need no token", LIMIT, async () => {
    for (const path of [...CARD_PATHS, "/health"]) assert.equal((await fetch(`${guarded.url}${path}`)).status, 200, path);
    const preflight = await fetch(`${guarded.url}/jsonrpc`, { method: "OPTIONS", headers: { origin: APP, "access-control-request-method": "POST" } });
    assert.equal(preflight.status, 204);
  });

  test("UPSTREAM_HEADERS go to the agent and replace the client's", LIMIT, async () => {
    const { call } = await answered(request("0.3", "get", { headers: { ...withToken, "x-api-key": "the client's" } }));
    assert.equal(call.headers["x-api-key"], "the operator's");
  });

  test("a page of a listed origin may call and read the notices", LIMIT, async () => {
    const preflight = await fetch(`${guarded.url}/jsonrpc`, {
      method: "OPTIONS", headers: { origin: APP, "access-control-request-method": "POST", "access-control-request-headers": "a2a-version,x-gateway-token" },
    });
    assert.equal(preflight.headers.get("access-control-allow-origin"), APP);
    assert.match(preflight.headers.get("access-control-allow-methods"), /POST/);
    for (const name of ["a2a-version", "x-gateway-token", "content-type"]) assert.ok(preflight.headers.get("access-control-allow-headers").toLowerCase().includes(name), name);
    const { response } = await answered(request("0.3", "get", { headers: { ...withToken, origin: APP } }));
    assert.equal(response.headers.get("access-control-allow-origin"), APP);
    assert.match(response.headers.get("vary"), /origin/i);
    assert.match(response.headers.get("access-control-expose-headers"), /a2a-compat-notices/i);
  });

  test("a page of another origin may not", LIMIT, async () => {
    for (const origin of ["https://app.example.evil", "http://app.example", "null"]) {
      const preflight = await fetch(`${guarded.url}/jsonrpc`, { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } });
      assert.equal(preflight.headers.get("access-control-allow-origin"), null);
    }
    const card = await fetch(`${open.url}${CARD_PATHS[0]}`, { headers: { origin: APP } }); // no CORS_ORIGINS there
    assert.equal(card.headers.get("access-control-allow-origin"), null);
  });

  test("a body over MAX_BODY_BYTES is 413, with and without a length", LIMIT, async () => {
    const { body, ...init } = request("0.3", "send", { text: "x".repeat(3000), headers: withToken });
    const streamed = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(body));
        controller.close();
      },
    });
    for (const each of [{ body }, { body: streamed, duplex: "half" }]) {
      const response = await fetch(`${guarded.url}/jsonrpc`, { ...init, ...each });
      assert.equal(response.status, 413);
      assert.equal(await codeOf(response), -32600);
    }
    assert.equal(v10.unanswered, 0);
  });

  test("an answer over MAX_BODY_BYTES is an error", LIMIT, async () => {
    const { response } = await exchange("0.3", "get", (call) => call.json({ result: { ...SAY["1.0"].task("working"), metadata: { pad: "x".repeat(3000) } } }), {
      url: `${guarded.url}/jsonrpc`, headers: withToken,
    });
    assert.ok((await codeOf(response)) < 0);
  });
});

describe("a wrong configuration", () => {
  for (const [variable, vars] of [
    ["UPSTREAM_URL", {}],
    ["UPSTREAM_URL", { UPSTREAM_URL: "not a URL" }],
    ["OFFER", { UPSTREAM_URL: "http://127.0.0.1:9", OFFER: "GRPC/1.0" }],
    ["STREAM_IDLE_SECONDS", { UPSTREAM_URL: "http://127.0.0.1:9", STREAM_IDLE_SECONDS: "soon" }],
  ]) {
    test(`is answered with the name of ${variable} (${JSON.stringify(vars)})`, LIMIT, async () => {
      const { url } = await gateway(vars);
      for (const answer of [fetch(url, request("0.3", "get")), fetch(url, request("1.0", "get")), fetch(`${url}${CARD_PATHS[0]}`)]) {
        const response = await answer;
        assert.equal(response.status, 500);
        assert.ok((await response.text()).includes(variable));
      }
    });
  }
});
