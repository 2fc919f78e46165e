// What the gateway is over HTTP: paths, bad requests, guards, configuration. The agents are played by the tests.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { CARD_PATHS, LIMIT, codeOf, gateway, stage } from "./stage.mjs";
import { SAY, request } from "./wire.mjs";

const TOKEN = "let-me-in";
const APP = "https://app.example";

let v10, v03, open, exchange, post;
before(async () => {
  ({ v10, v03, open, exchange, post } = await stage());
});

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
    for (const version of ["2.0", "1.7", "0.2", "nonsense"]) {
      const response = await fetch(`${open.url}/jsonrpc`, request("0.3", "get", { headers: { "a2a-version": version } }));
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
