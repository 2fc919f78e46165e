// HTTP+JSON on the wire: bodies, statuses, errors and streams between versions and bindings. The agents are played by the tests.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { rawCard, startRawAgent } from "../peers/raw-agent.mjs";
import { REST, errorOf, restStage } from "./rest-wire.mjs";
import { LIMIT, gateway, started } from "./stage.mjs";
import { SAY, readEvents, request } from "./wire.mjs";

const INFO = "type.googleapis.com/google.rpc.ErrorInfo";
const DOMAIN = "a2a-protocol.org";
const V10 = { headers: { "a2a-version": "1.0" } };

/** A v1.0 HTTP+JSON error. */
const status = (code, name, message, reason) =>
  ({ error: { code, status: name, message, details: reason ? [{ "@type": INFO, reason, domain: DOMAIN }] : [] } });

let stage, url, call, exchange, rpc;
before(async () => {
  stage = await restStage();
  ({ url, call, exchange, rpc } = stage);
});
const nobodyAsked = () => assert.deepEqual(["j03", "r03", "j10", "r10"].map((name) => stage[name].unanswered), [0, 0, 0, 0]);

/** Asks one agent for a task from the other version's HTTP+JSON client and from both JSON-RPC clients. */
async function everyGet(name, answer) {
  const got = {};
  for (const version of ["0.3", "1.0"]) {
    if (!(name === "r03" && version === "0.3") && !(name === "r10" && version === "1.0")) {
      got[`rest ${version}`] = (await exchange(name, ["GET", `${REST[version].prefix}/tasks/t`], answer)).response;
    }
    got[`rpc ${version}`] = (await rpc(name, version, "get", {}, answer)).response;
  }
  return got;
}

describe("bodies", () => {
  const URL_OF_HOOK = "https://hooks.example/in";
  const inner = { url: URL_OF_HOOK, token: "k" };

  test("the four bodies with which v0.3 creates a push config say the same, and the path says for which task", LIMIT, async () => {
    for (const [body, id] of [
      [{ name: "tasks/t/pushNotificationConfigs/c", pushNotificationConfig: inner }, "c"],
      [{ parent: "tasks/t", configId: "c", config: { name: "tasks/t/pushNotificationConfigs/c", pushNotificationConfig: inner } }, "c"],
      [{ config: { pushNotificationConfig: { ...inner, id: "c" } } }, "c"],
      [{ taskId: "t", pushNotificationConfig: { ...inner, id: "c" } }, "c"],
      [{ parent: "tasks/t", config_id: "c", config: { push_notification_config: inner } }, "c"],
    ]) {
      const { response, call: arrived } = await exchange("j03", ["POST", "/v1/tasks/t/pushNotificationConfigs", body],
        (each) => each.json({ result: { taskId: "t", pushNotificationConfig: { ...inner, id } } }));
      assert.equal(arrived.rpc.method, "tasks/pushNotificationConfig/set");
      assert.deepEqual(arrived.rpc.params, { taskId: "t", pushNotificationConfig: { ...inner, id } }, JSON.stringify(body));
      assert.equal(response.status, 200);
      assert.equal((await response.json()).name, `tasks/t/pushNotificationConfigs/${id}`);
    }
  });

  test("a push config for another task than the path's is refused", LIMIT, async () => {
    for (const [version, body] of [
      ["0.3", { name: "tasks/other/pushNotificationConfigs/c", pushNotificationConfig: inner }],
      ["0.3", { parent: "tasks/other", configId: "c", config: { pushNotificationConfig: inner } }],
      ["0.3", { config: { name: "tasks/other/pushNotificationConfigs/c", pushNotificationConfig: inner } }],
      ["0.3", { taskId: "other", pushNotificationConfig: inner }],
      ["1.0", { taskId: "other", id: "c", url: URL_OF_HOOK }],
    ]) {
      for (const name of ["j03", "r03", "j10", "r10"]) {
        const response = await call("POST", `/agents/${name}${REST[version].prefix}/tasks/t/pushNotificationConfigs`, body);
        assert.deepEqual(await errorOf(version, response), [400, version === "0.3" ? -32602 : "INVALID_PARAMS"], `${name} ${JSON.stringify(body)}`);
      }
    }
    nobodyAsked();
  });

  test("a v0.3 REST agent gets the body that R3_CREATE_BODY says", LIMIT, async () => {
    const params = { taskId: "t", pushNotificationConfig: { ...inner, id: "c" } };
    const { url: bare } = await gateway({ UPSTREAM_URL: stage.r03.url, R3_CREATE_BODY: "bare" });
    const name = "tasks/t/pushNotificationConfigs/c";
    for (const [base, wanted] of [
      [`${url}/agents/r03/jsonrpc`, { parent: "tasks/t", configId: "c", config: { name, pushNotificationConfig: { id: "c", ...inner } } }],
      [`${bare}/jsonrpc`, { name, pushNotificationConfig: { id: "c", ...inner } }],
    ]) {
      const asked = fetch(base, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/pushNotificationConfig/set", params }) });
      const arrived = await stage.r03.call();
      arrived.answer({ name, pushNotificationConfig: { ...inner, id: "c" } }, { status: 201 });
      assert.deepEqual([arrived.method, arrived.path, JSON.parse(arrived.text)], ["POST", "/rest/v1/tasks/t/pushNotificationConfigs", wanted]);
      assert.deepEqual((await (await asked).json()).result, params);
    }
  });

  test("a cancel may have no body, null, {} or the task's name, and no other task's", LIMIT, async () => {
    for (const [path, body] of [
      ["/v1/tasks/t:cancel", undefined], ["/v1/tasks/t:cancel", ""], ["/v1/tasks/t:cancel", "null"], ["/v1/tasks/t:cancel", "{}"],
      ["/v1/tasks/t:cancel", '{"name":"tasks/t"}'], ["/tasks/t:cancel", undefined], ["/tasks/t:cancel", "null"], ["/tasks/t:cancel", "{}"],
    ]) {
      const { response, call: arrived } = await exchange("j10", ["POST", path, body], (each) => each.json({ result: REST["1.0"].task("CANCELED") }));
      assert.deepEqual([arrived.rpc.method, arrived.rpc.params], ["CancelTask", { id: "t" }], `${path} ${body}`);
      assert.equal((await response.json()).status.state, path.startsWith("/v1") ? "TASK_STATE_CANCELLED" : "TASK_STATE_CANCELED");
    }
    assert.deepEqual(await errorOf("0.3", await call("POST", "/agents/j10/v1/tasks/t:cancel", { name: "tasks/other" })), [400, -32602]);
    nobodyAsked();
    const { call: old } = await exchange("r03", ["POST", "/tasks/t:cancel", { metadata: { a: 1 } }], (each) => each.answer(REST["0.3"].task("CANCELLED")));
    assert.deepEqual([old.path, JSON.parse(old.text)], ["/rest/v1/tasks/t:cancel", { name: "tasks/t" }]);
    const { call: kept } = await rpc("r10", "1.0", "cancel", { params: { id: "t", metadata: { a: 1e21 } } }, (each) => each.answer(REST["1.0"].task("CANCELED")));
    assert.deepEqual([kept.path, JSON.parse(kept.text)], ["/rest/tasks/t:cancel", { metadata: { a: 1e21 } }]);
  });

  test("proto names, blocking and v0.3's words become v1.0's", LIMIT, async () => {
    const body = { request: { message_id: "m", role: "ROLE_USER", content: [{ file: { file_with_uri: "https://x.example/a", mime_type: "text/plain", name: "a" } }, { data: { data: { a: 1e400 } } }] }, configuration: { history_length: 0 } };
    const text = JSON.stringify(body).replace("null", "1e400");
    const { call: arrived, response } = await exchange("r10", ["POST", "/v1/message:send", text], (each) => each.answer({ task: REST["1.0"].task("CANCELED") }));
    assert.match(arrived.text, /1e400/);
    assert.deepEqual(JSON.parse(arrived.text), {
      message: { messageId: "m", role: "ROLE_USER", parts: [{ url: "https://x.example/a", filename: "a", mediaType: "text/plain" }, { data: { a: Infinity } }] },
      configuration: { returnImmediately: true },
    });
    assert.equal(arrived.headers["content-type"], "application/a2a+json");
    assert.deepEqual(await response.json(), { task: REST["0.3"].task("CANCELLED") });
    assert.match(response.headers.get("a2a-compat-notices"), /history_length_zero/);
  });

  const PLAIN = Buffer.from([0, 255, 128, 7]).toString("base64");
  const TWICE = Buffer.from(PLAIN).toString("base64");

  test("the bytes of files are encoded as the SDK at that side does it", LIMIT, async () => {
    const uvicorn = started(await startRawAgent({ version: "0.3", binding: "HTTP+JSON", cardHeaders: { server: "uvicorn" } }));
    const { url: python } = await gateway({ UPSTREAM_URL: uvicorn.url });
    const old = (bytes) => ({ message: { messageId: "m", role: "ROLE_USER", content: [{ file: { fileWithBytes: bytes, mimeType: "a/b" } }] } });
    const current = (raw) => ({ message: { messageId: "m", role: "ROLE_USER", parts: [{ raw, mediaType: "a/b" }] } });
    // Clients, by their User-Agent.
    for (const [agent, bytes] of [["python-httpx/0.28.1", TWICE], ["Go-http-client/1.1", TWICE], ["Java-http-client/21", TWICE], ["node", PLAIN]]) {
      const { call: arrived, response } = await exchange("r10", ["POST", "/v1/message:send", old(bytes), { headers: { "user-agent": agent } }], (each) => each.answer(current(PLAIN)));
      assert.equal(JSON.parse(arrived.text).message.parts[0].raw, PLAIN, agent);
      assert.equal((await response.json()).message.content[0].file.fileWithBytes, bytes, agent);
    }
    // Agents, by their card's Server.
    for (const [base, agent, bytes] of [[python, uvicorn, TWICE], [`${url}/agents/r03`, stage.r03, PLAIN]]) {
      for (const version of ["0.3", "1.0"]) {
        const params = version === "1.0" ? current(PLAIN)
          : { message: { kind: "message", messageId: "m", role: "user", parts: [{ kind: "file", file: { bytes: PLAIN, mimeType: "a/b" } }] } };
        const asked = fetch(`${base}/jsonrpc`, request(version, "send", { params }));
        const arrived = await agent.call();
        arrived.answer(old(bytes));
        assert.equal(JSON.parse(arrived.text).message.content[0].file.fileWithBytes, bytes);
        const { result } = await (await asked).json();
        assert.equal(version === "1.0" ? result.message.parts[0].raw : result.parts[0].file.bytes, PLAIN);
      }
    }
  });

  test("the extended card is the reader's, leads to the gateway and is kept by nobody", LIMIT, async () => {
    const cards = { j03: rawCard("0.3", "x"), r03: rawCard("0.3", "x", "HTTP+JSON"), j10: rawCard("1.0", "x"), r10: rawCard("1.0", "x", "HTTP+JSON") };
    for (const name of Object.keys(cards)) {
      const answer = (each) => (name.startsWith("j") ? each.json({ result: cards[name] }) : each.answer(cards[name]));
      const old = await exchange(name, ["GET", "/v1/card"], answer);
      const card = await old.response.json();
      assert.match(card.url, new RegExp(`^${url}/agents/${name}`));
      const current = await exchange(name, ["GET", "/extendedAgentCard"], answer);
      for (const { url: to } of (await current.response.json()).supportedInterfaces) assert.match(to, new RegExp(`^${url}/agents/${name}`));
      for (const { response } of [old, current]) assert.equal(response.headers.get("cache-control"), "private, no-store");
      if (name === "r03") assert.equal(current.call.path, "/rest/v1/card");
      if (name === "r10") assert.equal(old.call.path, "/rest/extendedAgentCard");
    }
  });
});

describe("statuses", () => {
  test("an agent may answer 200, 201 or 202, and the client gets 200", LIMIT, async () => {
    for (const code of [200, 201, 202]) {
      const { response: rest } = await exchange("r03", ["POST", "/message:send", REST["1.0"].send()], (each) => each.answer({ task: REST["0.3"].task() }, { status: code }));
      assert.deepEqual([rest.status, (await rest.json()).task.id], [200, "t"]);
      const { response: overRpc } = await rpc("r03", "0.3", "cancel", {}, (each) => each.answer(REST["0.3"].task("CANCELLED"), { status: code }));
      assert.deepEqual([overRpc.status, (await overRpc.json()).result.status.state], [200, "canceled"]);
    }
  });

  test("a deletion is 204 without a body in v0.3 and 200 with {} in v1.0, whatever the agent answers", LIMIT, async () => {
    const none = { "204": (each) => each.respond(204, {}), "200": (each) => each.answer("{}"), "empty 200": (each) => each.answer("") };
    for (const [how, answer] of Object.entries(none)) {
      for (const [name, version, params, result] of [
        ["r03", "0.3", { id: "t", pushNotificationConfigId: "c" }, null], ["r03", "1.0", { taskId: "t", id: "c" }, {}],
        ["r10", "0.3", { id: "t", pushNotificationConfigId: "c" }, null], ["r10", "1.0", { taskId: "t", id: "c" }, {}],
      ]) {
        const method = version === "1.0" ? "DeleteTaskPushNotificationConfig" : "tasks/pushNotificationConfig/delete";
        const asked = fetch(`${url}/agents/${name}/jsonrpc`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
        const arrived = await stage[name].call();
        answer(arrived);
        assert.deepEqual([arrived.method, arrived.path], ["DELETE", `/rest${REST[name === "r03" ? "0.3" : "1.0"].prefix}/tasks/t/pushNotificationConfigs/c`]);
        assert.deepEqual(await (await asked).json(), { jsonrpc: "2.0", id: 1, result }, `${name} ${version} ${how}`);
      }
    }
    for (const [name, result] of [["j03", null], ["j10", {}]]) {
      const { response: old } = await exchange(name, ["DELETE", "/v1/tasks/t/pushNotificationConfigs/c"], (each) => each.json({ result }));
      assert.deepEqual([old.status, await old.text()], [204, ""]);
      const { response: current } = await exchange(name, ["DELETE", "/tasks/t/pushNotificationConfigs/c"], (each) => each.json({ result }));
      assert.deepEqual([current.status, await current.text()], [200, "{}"]);
    }
  });

  test("conditions of the transport keep their status and headers in both directions", LIMIT, async () => {
    const NAMES = { 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED" };
    for (const [code, headers] of [[401, { "www-authenticate": 'Bearer realm="a"' }], [403, {}], [429, { "retry-after": "7" }], [503, { "retry-after": "9" }], [504, {}]]) {
      for (const name of ["j03", "r03", "j10", "r10"]) {
        const got = await everyGet(name, (each) => each.answer({ detail: "no" }, { status: code, ...headers }));
        for (const [who, response] of Object.entries(got)) {
          if (name === `j${who === "rpc 0.3" ? "03" : who === "rpc 1.0" ? "10" : "-"}`) continue; // passed through as it is
          const where = `${who} → ${name} ${code}`;
          assert.equal(response.status, code, where);
          for (const [header, value] of Object.entries(headers)) assert.equal(response.headers.get(header), value, where);
          if (who === "rest 1.0") assert.deepEqual(await errorOf("1.0", response), [code, NAMES[code]], where);
          else if (who === "rest 0.3") assert.deepEqual(await errorOf("0.3", response), [code, -32603], where);
          else assert.equal((await response.json()).error.code, -32603, where);
        }
      }
    }
  });
});

describe("errors", () => {
  /** What each of the three other clients is told: [code for v0.3, status for v1.0 REST, reason]. */
  const told = async (got, code, http, reason, message) => {
    for (const [who, response] of Object.entries(got)) {
      if (who === "rest 1.0") assert.deepEqual(await errorOf("1.0", response.clone()), [http, reason], who);
      else if (who.startsWith("rpc")) assert.equal((await response.clone().json()).error.code, code, who);
      else assert.equal((await errorOf("0.3", response.clone()))[1], code, who);
      if (message) assert.ok((await response.clone().text()).includes(message), `${who}: ${await response.text()}`);
    }
  };

  test("the five shapes of v0.3 servers' errors are understood", LIMIT, async () => {
    for (const [code, body, wanted, http, reason, headers] of [
      [404, { code: -32001, message: "No t", data: { hint: 1 } }, -32001, 404, "TASK_NOT_FOUND"],
      [404, { message: "No t" }, -32001, 404, "TASK_NOT_FOUND"],
      [409, { message: "No t" }, -32002, 400, "TASK_NOT_CANCELABLE"],
      [422, { message: "No t" }, -32602, 400, "INVALID_PARAMS"],
      [501, { message: "No t" }, -32004, 400, "UNSUPPORTED_OPERATION"],
      [415, { message: "No t" }, -32005, 400, "CONTENT_TYPE_NOT_SUPPORTED"],
      [404, status(404, "NOT_FOUND", "No t", "TASK_NOT_FOUND"), -32001, 404, "TASK_NOT_FOUND"],
      [400, status(400, "FAILED_PRECONDITION", "No t", "TASK_NOT_CANCELABLE"), -32002, 400, "TASK_NOT_CANCELABLE", { "content-type": "application/problem+json" }],
      [404, { error: "io.a2a.spec.TaskNotFoundError", message: "No t" }, -32001, 404, "TASK_NOT_FOUND"],
    ]) {
      const got = await everyGet("r03", (each) => each.answer(body, { status: code, ...headers }));
      await told(got, wanted, http, reason, "No t");
    }
    // The Java server does not escape the message.
    await told(await everyGet("r03", (each) => each.answer('{"error":"io.a2a.X","message":"a "quoted" one"}', { status: 404 })), -32001, 404, "TASK_NOT_FOUND");
  });

  test("v1.0 errors reach v0.3 clients by their reason", LIMIT, async () => {
    for (const [http, name, reason, code, old] of [
      [404, "NOT_FOUND", "TASK_NOT_FOUND", -32001, 404], [400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE", -32002, 409],
      [400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION", -32004, 400], [400, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED", -32005, 400],
      [500, "INTERNAL", "INVALID_AGENT_RESPONSE", -32006, 500], [400, "INVALID_ARGUMENT", "INVALID_PARAMS", -32602, 400], [400, "INVALID_ARGUMENT", undefined, -32602, 400],
    ]) {
      const { response } = await exchange("r10", ["GET", "/v1/tasks/t"], (each) => each.answer(status(http, name, "No", reason), { status: http }));
      assert.deepEqual(await errorOf("0.3", response), [old, code], `${name} ${reason}`);
      const { response: overRpc } = await rpc("r10", "1.0", "get", {}, (each) => each.answer(status(http, name, "No", reason), { status: http }));
      assert.equal((await overRpc.json()).error.code, code, `${name} ${reason}`);
    }
  });

  test("a send to a task that the agent does not know is not an unknown method", LIMIT, async () => {
    const message = { messageId: "m", role: "ROLE_USER", taskId: "gone", parts: [{ text: "x" }] };
    const { response } = await exchange("r03", ["POST", "/message:send", { message }], (each) => each.answer({ message: "No such task" }, { status: 404 }));
    assert.deepEqual(await errorOf("1.0", response), [404, "TASK_NOT_FOUND"]);
    nobodyAsked(); // and not asked again in the other version
  });

  test("an answer that is not A2A is an invalid agent response, and an agent that is not there a bad gateway", LIMIT, async () => {
    for (const answer of [(each) => each.respond(200, { "content-type": "text/html" }, "<h1>Welcome</h1>"), (each) => each.answer("{"), (each) => each.answer({ what: "is this" })]) {
      const { response } = await exchange("r03", ["POST", "/message:send", REST["1.0"].send()], answer);
      assert.deepEqual(await errorOf("1.0", response), [500, "INVALID_AGENT_RESPONSE"], String(answer));
      const { response: old } = await exchange("r10", ["POST", "/v1/message:send", REST["0.3"].send()], answer);
      assert.deepEqual(await errorOf("0.3", old), [500, -32006], String(answer));
    }
    const { response } = await exchange("r10", ["POST", "/v1/message:send", REST["0.3"].send()], (each) => each.break()); // workerd asks twice for a GET
    assert.deepEqual(await errorOf("0.3", response), [502, -32603]);
    const { url: hasty } = await gateway({ UPSTREAM_URL: stage.r10.url, UPSTREAM_TIMEOUT_SECONDS: "1" });
    const late = fetch(`${hasty}/v1/tasks/t`);
    await stage.r10.call();
    assert.deepEqual(await errorOf("0.3", await late), [504, -32603]);
  });

  test("an agent whose card states the wrong version is asked in the other, which is then remembered", LIMIT, async () => {
    for (const [said, spoken] of [["1.0", "0.3"], ["0.3", "1.0"]]) {
      const agent = started(await startRawAgent({ version: said, binding: "HTTP+JSON" }));
      const { url: front } = await gateway({ UPSTREAM_URL: agent.url });
      for (const client of ["0.3", "1.0"]) {
        const asked = fetch(`${front}${REST[client].prefix}/message:send`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(REST[client].send()) });
        let arrived = await agent.call();
        if (client === "0.3") { // the first call of all
          assert.equal(arrived.path, `/rest${REST[said].prefix}/message:send`);
          arrived.answer({ detail: "Not Found" }, { status: 404 });
          arrived = await agent.call();
        }
        assert.equal(arrived.path, `/rest${REST[spoken].prefix}/message:send`, client);
        arrived.answer(REST[spoken].reply("yes"));
        const answer = await (await asked).json();
        assert.deepEqual(answer, REST[client].reply("yes"));
      }
    }
  });
});

describe("streams", () => {
  const EVENTS = { headers: { accept: "text/event-stream" } };
  const stream = (version) => ["POST", `${REST[version].prefix}/message:stream`, REST[version].send(), EVENTS];

  test("events have no envelope, whatever the agent's have", LIMIT, async () => {
    for (const [version, name] of [["0.3", "r10"], ["0.3", "j10"], ["0.3", "j03"], ["1.0", "r03"], ["1.0", "j03"], ["1.0", "j10"]]) {
      const agentVersion = name.endsWith("03") ? "0.3" : "1.0";
      const isRpc = name.startsWith("j");
      const { response, call: arrived } = await exchange(name, stream(version), async (each) => {
        each.stream();
        await (isRpc ? each.event({ result: SAY[agentVersion].taskEvent("working") }) : each.data({ task: REST[agentVersion].task() }));
      });
      assert.match(response.headers.get("content-type"), /^text\/event-stream/);
      const events = readEvents(response);
      assert.deepEqual((await events.next()).data, { task: REST[version].task() }, `${version} ${name}`);
      const last = agentVersion === "0.3" && !isRpc ? "CANCELLED" : "CANCELED";
      await (isRpc ? arrived.event({ result: SAY[agentVersion].status("canceled", true) }) : arrived.data(REST[agentVersion].status(last, true)));
      arrived.end();
      const { data } = await events.next();
      assert.deepEqual(data, version === "0.3" ? REST["0.3"].status("CANCELLED", true) : REST["1.0"].status("CANCELED"), `${version} ${name}`);
      assert.equal(await events.next(), undefined);
    }
  });

  test("an error before the first event is an answer with its status, also for v0.3 clients that accept only events", LIMIT, async () => {
    for (const [version, name, answer] of [
      ["0.3", "r10", (each) => each.answer(status(404, "NOT_FOUND", "No", "TASK_NOT_FOUND"), { status: 404 })],
      ["0.3", "j10", (each) => each.json({ error: { code: -32001, message: "No" } })],
      ["0.3", "j03", async (each) => { await each.stream().event({ error: { code: -32001, message: "No" } }); each.end(); }],
      ["1.0", "r03", async (each) => { await each.stream().data({ code: -32001, message: "No" }, "error"); each.end(); }],
      ["1.0", "j03", (each) => each.json({ error: { code: -32001, message: "No" } })],
      ["1.0", "j10", (each) => each.json({ error: { code: -32001, message: "No" } })],
    ]) {
      const { response } = await exchange(name, stream(version), answer);
      assert.deepEqual(await errorOf(version, response), [404, version === "0.3" ? -32001 : "TASK_NOT_FOUND"], `${version} ${name}`);
    }
  });

  test("an error in the stream is an error event in the client's shape, and ends it", LIMIT, async () => {
    const fail = {
      r10: (each) => each.data(status(500, "INTERNAL", "It broke", "INTERNAL_ERROR"), "error"), // as the JavaScript SDK sends it
      r03: (each) => each.data({ code: -32603, message: "It broke" }, "error"),
      j10: (each) => each.event({ error: { code: -32603, message: "It broke" } }),
      j03: (each) => each.event({ error: { code: -32603, message: "It broke" } }),
    };
    for (const [version, name] of [["0.3", "r10"], ["0.3", "j10"], ["0.3", "j03"], ["1.0", "r03"], ["1.0", "j03"], ["1.0", "j10"]]) {
      const agentVersion = name.endsWith("03") ? "0.3" : "1.0";
      const { response, call: arrived } = await exchange(name, stream(version), async (each) => {
        each.stream();
        await (name.startsWith("j") ? each.event({ result: SAY[agentVersion].taskEvent("working") }) : each.data({ task: REST[agentVersion].task() }));
      });
      const events = readEvents(response);
      await events.next();
      await fail[name](arrived);
      const { event, data } = await events.next();
      assert.equal(event, "error");
      if (version === "0.3") assert.deepEqual(data, { code: -32603, message: "It broke" }, name);
      else assert.deepEqual([data.error.code, data.error.status, data.error.message], [500, "INTERNAL", "It broke"], name);
      assert.equal(await events.next(), undefined);
      await arrived.closed;
    }
  });

  test("an agent that breaks off gives an error event, and a client that leaves ends the agent's stream", LIMIT, async () => {
    for (const [version, name] of [["0.3", "r10"], ["1.0", "r03"], ["1.0", "j10"]]) {
      const begin = async (each) => {
        each.stream();
        await (name.startsWith("j") ? each.event({ result: SAY["1.0"].taskEvent("working") }) : each.data({ task: REST["1.0"].task() }));
      };
      const { response, call: arrived } = await exchange(name, stream(version), begin);
      const events = readEvents(response);
      await events.next();
      arrived.break();
      const { event, data } = await events.next();
      assert.deepEqual([event, version === "0.3" ? data.code : data.error.code], ["error", version === "0.3" ? -32603 : 500], name);
      const { response: left, call: running } = await exchange(name, stream(version), begin);
      const again = readEvents(left);
      await again.next();
      await again.cancel(); // quietly, so that it is seen at the agent's next event
      while (running.isOpen) await (name.startsWith("j") ? running.event({ result: SAY["1.0"].status("working") }) : running.data(REST["1.0"].status("WORKING")));
      assert.equal(await running.closed, false);
    }
  });

  test("a client may subscribe by GET and by POST, and an agent is asked by GET and, where that leads nowhere, by POST", LIMIT, async () => {
    const answer = async (each) => {
      await each.stream().data({ task: REST["1.0"].task("COMPLETED") });
      each.end();
    };
    for (const method of ["GET", "POST"]) {
      for (const refusal of [undefined, 404, 405]) {
        const asked = call(method, "/agents/r10/v1/tasks/a%3Ab:subscribe", method === "POST" ? {} : undefined, EVENTS);
        let arrived = await stage.r10.call();
        assert.deepEqual([arrived.method, arrived.path], ["GET", "/rest/tasks/a%3Ab:subscribe"]);
        if (refusal) {
          arrived.answer({ message: "What?" }, { status: refusal });
          arrived = await stage.r10.call();
          assert.deepEqual([arrived.method, arrived.path], ["POST", "/rest/tasks/a%3Ab:subscribe"]);
        }
        await answer(arrived);
        const response = await asked;
        assert.deepEqual((await readEvents(response).rest()).map(({ data }) => data), [{ task: REST["0.3"].task("COMPLETED") }], `${method} ${refusal}`);
      }
    }
    const refused = call("GET", "/agents/r10/v1/tasks/t:subscribe", undefined, EVENTS);
    for (const method of ["GET", "POST"]) {
      const arrived = await stage.r10.call();
      assert.equal(arrived.method, method);
      arrived.answer(status(404, "NOT_FOUND", "No", "TASK_NOT_FOUND"), { status: 404 });
    }
    assert.deepEqual(await errorOf("0.3", await refused), [404, -32001]);
    nobodyAsked();
  });

  test("a v0.3 client that resubscribes to a finished task of a v1.0 agent gets the task", LIMIT, async () => {
    const asked = call("GET", "/agents/r10/v1/tasks/t:subscribe", undefined, EVENTS);
    (await stage.r10.call()).answer(status(400, "FAILED_PRECONDITION", "Finished", "UNSUPPORTED_OPERATION"), { status: 400 });
    const second = await stage.r10.call();
    assert.deepEqual([second.method, second.path], ["GET", "/rest/tasks/t"]);
    second.answer(REST["1.0"].task("COMPLETED"));
    assert.deepEqual((await readEvents(await asked).rest()).map(({ data }) => data), [{ task: REST["0.3"].task("COMPLETED") }]);
  });
});
