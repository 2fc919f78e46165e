// HTTP+JSON on the wire: routes, bad requests, what crosses between versions and bindings. The agents are played by the tests.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { startRawAgent } from "../peers/raw-agent.mjs";
import { REST, errorOf, raw, restStage } from "./rest-wire.mjs";
import { LIMIT, codeOf, gateway, started } from "./stage.mjs";
import { SAY, request } from "./wire.mjs";

const VERSIONS = /** @type {const} */ (["0.3", "1.0"]);
const V10 = { headers: { "a2a-version": "1.0" } };

let stage, url, call, exchange, rpc;
before(async () => {
  stage = await restStage();
  ({ url, call, exchange, rpc } = stage);
});
/** That no agent has been asked. */
const nobodyAsked = () => assert.deepEqual(["j03", "r03", "j10", "r10"].map((name) => stage[name].unanswered), [0, 0, 0, 0]);

describe("routes", () => {
  test("another method on a known path is 405, says which are allowed, and is shaped for its version", LIMIT, async () => {
    for (const [method, path, allow] of [
      ["PUT", "/tasks", "GET"], ["PUT", "/v1/tasks", "GET"], ["GET", "/message:send", "POST"], ["DELETE", "/v1/message:stream", "POST"],
      ["POST", "/tasks/t", "GET"], ["GET", "/v1/tasks/t:cancel", "POST"], ["PUT", "/tasks/t:subscribe", "GET, POST"],
      ["DELETE", "/tasks/t/pushNotificationConfigs", "GET, POST"], ["POST", "/v1/tasks/t/pushNotificationConfigs/c", "GET, DELETE"],
      ["POST", "/v1/card", "GET"], ["PATCH", "/acme/extendedAgentCard", "GET"],
    ]) {
      const response = await call(method, path);
      assert.deepEqual([response.status, response.headers.get("allow")], [405, allow], `${method} ${path}`);
      const [, said] = await errorOf(path.startsWith("/v1/") ? "0.3" : "1.0", response);
      assert.equal(said, path.startsWith("/v1/") ? -32601 : "METHOD_NOT_FOUND", `${method} ${path}`);
    }
    nobodyAsked();
  });

  test("a path that leads nowhere in its version is 404, in that version's shape", LIMIT, async () => {
    for (const [version, method, path, headers] of [
      ["1.0", "GET", "/nothing", {}], ["1.0", "GET", "/nothing/at/all", {}], ["1.0", "POST", "/message:shout", {}], ["1.0", "GET", "/card", {}],
      ["0.3", "GET", "/v1/nothing", {}], ["0.3", "GET", "/v1/extendedAgentCard", {}], ["1.0", "GET", "/v1/card", V10.headers],
      ["0.3", "GET", "/tasks/t", { "a2a-version": "0.3" }], ["0.3", "POST", "/acme/message:send", { "a2a-version": "0.3" }],
    ]) {
      const response = await call(method, path, undefined, { headers });
      assert.deepEqual(await errorOf(version, response), [404, version === "0.3" ? -32601 : "METHOD_NOT_FOUND"], `${method} ${path}`);
    }
    nobodyAsked();
  });

  test("v0.3 cannot list tasks: 501 and -32004, and the agent is not asked", LIMIT, async () => {
    for (const name of ["j03", "r03", "j10", "r10"]) {
      assert.deepEqual(await errorOf("0.3", await call("GET", `/agents/${name}/v1/tasks`)), [501, -32004]);
    }
    nobodyAsked();
  });

  test("the version is the header's, else the query's, else the path's", LIMIT, async () => {
    for (const [path, headers, tenant] of [["/v1/tasks/t", V10.headers, "v1"], ["/v1/tasks/t?A2A-Version=1.0", {}, "v1"], ["/tasks/t", {}, undefined]]) {
      const { response, call: arrived } = await exchange("j10", ["GET", path, undefined, { headers }], (each) => each.json({ result: REST["1.0"].task() }));
      assert.deepEqual(arrived.rpc.params, { ...(tenant ? { tenant } : {}), id: "t" }, path);
      assert.match(response.headers.get("content-type"), /^application\/a2a\+json/);
    }
    const { response } = await exchange("j10", ["GET", "/v1/tasks/t?A2A-Version=0.3"], (each) => each.json({ result: REST["1.0"].task() }));
    assert.match(response.headers.get("content-type"), /^application\/json/);
    assert.deepEqual(await errorOf("1.0", await call("GET", "/tasks/t", undefined, { headers: { "a2a-version": "2.0" } })), [400, "VERSION_NOT_SUPPORTED"]);
    assert.deepEqual(await errorOf("0.3", await call("GET", "/v1/tasks/t?A2A-Version=7")), [400, -32009]);
    nobodyAsked();
  });

  test("an interface that OFFER leaves out is refused in the caller's shape", LIMIT, async () => {
    const { url: only } = await gateway({ UPSTREAM_URL: stage.r10.url, OFFER: "JSONRPC/0.3,HTTP+JSON/1.0" });
    assert.deepEqual(await errorOf("0.3", await fetch(`${only}/v1/tasks/t`)), [400, -32009]);
    const { url: none } = await gateway({ UPSTREAM_URL: stage.r10.url, OFFER: "JSONRPC/1.0" });
    assert.deepEqual(await errorOf("1.0", await fetch(`${none}/tasks/t`)), [400, "VERSION_NOT_SUPPORTED"]);
    nobodyAsked();
  });
});

describe("bad requests", () => {
  const bothVersions = (work) => async () => {
    for (const version of VERSIONS) await work(version, version === "0.3" ? "/v1" : "");
    nobodyAsked();
  };
  const saying = (version, code, reason) => (version === "0.3" ? code : reason);

  test("invalid JSON, and JSON that is no object", LIMIT, bothVersions(async (version, prefix) => {
    for (const body of ["{", "{\"message\":}", "\u0000"]) {
      assert.deepEqual(await errorOf(version, await call("POST", `${prefix}/message:send`, body)), [400, saying(version, -32700, "PARSE_ERROR")], body);
    }
    for (const body of ["[]", "1", '"x"']) {
      assert.deepEqual(await errorOf(version, await call("POST", `${prefix}/message:send`, body)), [400, saying(version, -32602, "INVALID_PARAMS")], body);
    }
  }));

  test("a body that is not JSON by its type is 415", LIMIT, bothVersions(async (version, prefix) => {
    for (const type of ["text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      const response = await call("POST", `${prefix}/message:send`, REST[version].send(), { headers: { "content-type": type } });
      assert.deepEqual(await errorOf(version, response), [415, saying(version, -32005, "CONTENT_TYPE_NOT_SUPPORTED")], type);
    }
  }));

  test("a JSON-RPC body on a REST route is told where to go", LIMIT, bothVersions(async (version, prefix) => {
    const { body } = request(version, "send");
    const response = await call("POST", `${prefix}/message:send`, body);
    assert.match(await response.clone().text(), /JSON-RPC.*\/jsonrpc/);
    assert.deepEqual(await errorOf(version, response), [400, saying(version, -32600, "INVALID_REQUEST")]);
  }));

  test("a REST body at the JSON-RPC endpoint is told where to go", LIMIT, bothVersions(async (version) => {
    const response = await call("POST", "/jsonrpc", REST[version].send());
    assert.equal(response.status, 200);
    const { error } = await response.json();
    assert.equal(error.code, -32600);
    assert.match(error.message, /HTTP\+JSON|message:send/);
  }));

  test("a body over MAX_BODY_BYTES is 413", LIMIT, async () => {
    const { url: small } = await gateway({ UPSTREAM_URL: stage.r10.url, MAX_BODY_BYTES: "2000" });
    for (const version of VERSIONS) {
      const body = JSON.stringify(REST[version].send("x".repeat(3000)));
      const response = await fetch(`${small}${REST[version].prefix}/message:send`, { method: "POST", headers: { "content-type": "application/json" }, body });
      assert.deepEqual(await errorOf(version, response), [413, saying(version, -32600, "INVALID_REQUEST")]);
    }
    nobodyAsked();
  });

  test("a query that makes no sense names the parameter", LIMIT, async () => {
    for (const [version, path, name] of [
      ["0.3", "/v1/tasks/t?historyLength=many", "historyLength"], ["0.3", "/v1/tasks/t?history_length=-1", "historyLength"],
      ["1.0", "/tasks/t?historyLength=1.5", "historyLength"], ["1.0", "/tasks?pageSize=99999999999", "pageSize"],
      ["1.0", "/tasks?includeArtifacts=perhaps", "includeArtifacts"], ["1.0", "/tasks/t/pushNotificationConfigs?pageSize=x", "pageSize"],
    ]) {
      const response = await call("GET", path);
      assert.ok((await response.clone().text()).includes(name), path);
      assert.deepEqual(await errorOf(version, response), [400, saying(version, -32602, "INVALID_PARAMS")], path);
    }
    nobodyAsked();
  });

  test("fields of the wrong type and missing ones are named before a v0.3 or v1.0 agent is asked", LIMIT, async () => {
    for (const [version, name, body, field] of [
      ["0.3", "j10", { message: { messageId: "m", role: "ROLE_USER", content: [{ text: 1 }] } }, "message.content[0].text"],
      ["0.3", "j03", { message: { role: "ROLE_USER", content: [{ text: "a" }] } }, "message.messageId"],
      ["1.0", "r03", { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "a" }, { text: [] }] } }, "message.parts[1].text"],
      ["1.0", "j03", {}, "message"],
    ]) {
      const response = await call("POST", `/agents/${name}${REST[version].prefix}/message:send`, body);
      assert.ok((await response.clone().text()).includes(field), await response.clone().text());
      assert.deepEqual(await errorOf(version, response), [400, saying(version, -32602, "INVALID_PARAMS")]);
    }
    nobodyAsked();
  });

  test("an id of dots is refused, from whichever side it comes", LIMIT, async () => {
    for (const [version, method, path] of [
      // Workers resolve a segment of dots, also an encoded one, before anybody sees it; not one with an action.
      ["0.3", "POST", "/v1/tasks/..:cancel"], ["1.0", "POST", "/tasks/%2E%2e:cancel"], ["0.3", "GET", "/v1/tasks/.:subscribe"], ["1.0", "GET", "/tasks/%zz"],
    ]) {
      const answer = await raw(url, method, path, method === "POST" ? { headers: { "content-type": "application/json" }, body: "{}" } : {});
      assert.deepEqual(await errorOf(version, answer), [400, saying(version, -32602, "INVALID_PARAMS")], path);
    }
    for (const [version, name] of [["0.3", "r03"], ["0.3", "r10"], ["1.0", "r03"], ["1.0", "r10"]]) {
      for (const id of [".", ".."]) {
        assert.equal(await codeOf(await fetch(`${url}/agents/${name}/jsonrpc`, request(version, "get", { params: { id } }))), -32602, `${version} ${name} ${id}`);
      }
    }
    nobodyAsked();
  });
});

describe("paths and queries", () => {
  test("ids are decoded once and encoded again, and an action is split off at the last colon", LIMIT, async () => {
    for (const [path, id, method] of [
      ["/tasks/a%2Fb%3Fc%25", "a/b?c%", "GetTask"], ["/tasks/t%C3%A4sk%20%F0%9F%90%99", "täsk 🐙", "GetTask"], ["/tasks/urn:a:b", "urn:a:b", "GetTask"],
      ["/tasks/urn:a%3Acancel", "urn:a:cancel", "GetTask"], ["/tasks/%252e", "%2e", "GetTask"],
    ]) {
      const { call: arrived } = await exchange("j10", ["GET", path], (each) => each.json({ result: REST["1.0"].task() }));
      assert.deepEqual([arrived.rpc.method, arrived.rpc.params.id], [method, id], path);
    }
    const { call: canceled } = await exchange("j10", ["POST", "/tasks/urn:a:subscribe:cancel", {}], (each) => each.json({ result: REST["1.0"].task("CANCELED") }));
    assert.deepEqual([canceled.rpc.method, canceled.rpc.params.id], ["CancelTask", "urn:a:subscribe"]);
    for (const [name, version, path] of [["r10", "0.3", "/rest/tasks/"], ["r03", "1.0", "/rest/v1/tasks/"], ["r10", "1.0", "/rest/tasks/"]]) {
      const { call: arrived } = await rpc(name, version, "get", { params: { id: "a/b:ä?c#%" } }, (each) => each.answer(REST["1.0"].task()));
      assert.equal(arrived.path, `${path}a%2Fb%3A%C3%A4%3Fc%23%25`);
    }
  });

  test("a tenant is in the path of v1.0 alone", LIMIT, async () => {
    const { call: same } = await exchange("r10", ["GET", "/ac%20me/tasks/t?historyLength=2"], (each) => each.answer(REST["1.0"].task()));
    assert.equal(same.path, "/rest/ac%20me/tasks/t?historyLength=2");
    const { call: toRpc } = await exchange("j10", ["POST", "/ac%20me/message:send", REST["1.0"].send()], (each) => each.json({ result: REST["1.0"].reply("x") }));
    assert.equal(toRpc.rpc.params.tenant, "ac me");
    const { call: fromRpc } = await rpc("r10", "1.0", "get", { params: { id: "t", tenant: "ac me" } }, (each) => each.answer(REST["1.0"].task()));
    assert.equal(fromRpc.path, "/rest/ac%20me/tasks/t");
    const { call: old, response } = await exchange("r03", ["GET", "/acme/tasks/t"], (each) => each.answer(REST["0.3"].task()));
    assert.equal(old.path, "/rest/v1/tasks/t");
    assert.match(response.headers.get("a2a-compat-notices"), /tenant_dropped/);
  });

  test("an interface's own tenant is put in, whoever asks", LIMIT, async () => {
    const card = (agent) => ({
      name: "Tenant", description: "Has a tenant.", version: "1", defaultInputModes: [], defaultOutputModes: [], skills: [], capabilities: { streaming: true },
      supportedInterfaces: [{ url: `${agent}/base/v1/`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0", tenant: "own" }],
    });
    const agent = started(await startRawAgent({ card }));
    const { url: front } = await gateway({ UPSTREAM_URL: agent.url });
    for (const asked of [() => fetch(`${front}/tasks/t`), () => fetch(`${front}/v1/tasks/t`), () => fetch(`${front}/other/tasks/t`), () => fetch(front, request("1.0", "get")), () => fetch(front, request("0.3", "get"))]) {
      const response = asked();
      const arrived = await agent.call();
      arrived.answer(REST["1.0"].task());
      assert.equal(arrived.path, "/base/v1/own/tasks/t");
      assert.equal((await response).status, 200);
    }
  });

  test("a request of the agent's own version and binding goes on byte for byte with its query, and so does the answer", LIMIT, async () => {
    for (const [name, version] of [["r03", "0.3"], ["r10", "1.0"]]) {
      const { prefix, send } = REST[version];
      const odd = JSON.stringify(send()).replaceAll(":", " :\n ").replace("{", '{"vendor" : 1e400, ');
      const answer = '{ "message" : {"x":1.0}, "vendor":12345678901234567890 }';
      const { response, call: arrived } = await exchange(name, ["POST", `${prefix}/message:send?a=1&b=%2F&A=x+y`, odd, { headers: { "x-custom": "c" } }],
        (each) => each.answer(answer, { status: 201, "x-of-the-agent": "yes" }));
      assert.deepEqual([arrived.method, arrived.path, arrived.text], ["POST", `/rest${prefix}/message:send?a=1&b=%2F&A=x+y`, odd]);
      assert.deepEqual([arrived.headers["x-custom"], arrived.headers["a2a-version"]], ["c", version === "1.0" ? "1.0" : undefined]);
      assert.deepEqual([response.status, await response.text(), response.headers.get("x-of-the-agent")], [201, answer, "yes"]);
      const { call: read } = await exchange(name, ["GET", `${prefix}/tasks/a%2fb?historyLength=3&x=y`], (each) => each.answer(REST[version].task()));
      assert.deepEqual([read.path, read.text], [`/rest${prefix}/tasks/a%2fb?historyLength=3&x=y`, ""]);
    }
  });

  test("a stream of the agent's own version and binding goes on as it is", LIMIT, async () => {
    const { response, call: arrived } = await exchange("r10", ["POST", "/message:stream", REST["1.0"].send()], (each) => each.stream().write(": hello\n\ndata: {\"x\":1e400}\n\n"));
    const reader = response.body.getReader();
    assert.equal(Buffer.from((await reader.read()).value).toString(), ": hello\n\ndata: {\"x\":1e400}\n\n");
    arrived.end();
    assert.equal((await reader.read()).done, true);
  });

  test("unknown parameters of a stream's query go on to an agent of another version, and those of other calls do not", LIMIT, async () => {
    const end = async (each) => {
      await each.stream().data(each.path.includes("/v1/") ? REST["0.3"].reply("x") : REST["1.0"].reply("x"));
      each.end();
    };
    const { call: stream, response } = await exchange("r03", ["POST", "/message:stream?alt=sse&A2A-Version=1.0&k=a%26b", REST["1.0"].send()], end);
    assert.equal(stream.path, "/rest/v1/message:stream?alt=sse&k=a%26b");
    await response.text();
    const { call: other, response: second } = await exchange("r10", ["POST", "/v1/message:stream?alt=sse", REST["0.3"].send()], end);
    assert.equal(other.path, "/rest/message:stream?alt=sse");
    await second.text();
    const { call: plain } = await exchange("r03", ["GET", "/tasks/t?alt=sse&historyLength=4"], (each) => each.answer(REST["0.3"].task()));
    assert.equal(plain.path, "/rest/v1/tasks/t?historyLength=4");
  });

  test("ListTasks is typed in JSON-RPC and text in a query", LIMIT, async () => {
    const page = { tasks: [REST["1.0"].task("COMPLETED")], nextPageToken: "n 2", pageSize: 1, totalSize: 2 };
    const filter = { contextId: "c/ä", status: "TASK_STATE_COMPLETED", pageSize: 1, pageToken: "n&1", historyLength: 0, statusTimestampAfter: "2026-01-01T00:00:00Z", includeArtifacts: false };
    const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]));
    const { call: asked, response } = await exchange("j10", ["GET", `/tasks?${query}`], (each) => each.json({ result: page }));
    assert.deepEqual([asked.rpc.method, asked.rpc.params], ["ListTasks", filter]);
    assert.deepEqual(await response.json(), page);
    const listed = fetch(`${url}/agents/r10/jsonrpc`, { method: "POST", headers: { "content-type": "application/json", ...V10.headers }, body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ListTasks", params: filter }) });
    const arrived = await stage.r10.call();
    arrived.answer(page);
    const sent = new URL(arrived.path, url);
    assert.deepEqual([sent.pathname, Object.fromEntries(sent.searchParams)], ["/rest/tasks", Object.fromEntries(query)]);
    assert.deepEqual(await (await listed).json(), { jsonrpc: "2.0", id: 7, result: page });
  });
});
