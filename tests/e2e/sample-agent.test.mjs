// The sample agent in workerd: by itself over both of its bindings, and behind the gateway through its service binding.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startGateway, startSampleAgent } from "../../js/dev/lib.mjs";
import { DATA_VALUES, SKILLS } from "../../examples/agent/src/behaviours.mjs";
import { connectJs03 } from "../peers/js-client-03.mjs";
import { connectJs1 } from "../peers/js-client-1.mjs";

const LIMIT = { timeout: 20_000 };

async function collect(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The tests of every skill, for a client that `connect` makes. */
function everySkill(connect) {
  let client;
  before(async () => { client = await connect(); });

  test("offers a skill per behaviour, and one more in the extended card", LIMIT, async () => {
    const ids = SKILLS.map(({ id }) => id);
    assert.deepEqual(client.card.skills, ids);
    assert.deepEqual((await client.extendedCard()).skills, [...ids, "secret"]);
  });

  test("echoes a message", LIMIT, async () => {
    const { kind, parts } = await client.send({ text: "hello" });
    assert.deepEqual([kind, parts], ["message", [{ text: "hello" }]]);
  });

  test("completes a task", LIMIT, async () => {
    const task = await client.send({ text: "task hello" });
    assert.equal(task.state, "completed");
    assert.deepEqual(task.artifacts.map(({ parts }) => parts), [[{ text: "task hello" }]]);
    assert.equal((await client.get(task.id)).state, "completed");
  });

  test("streams a poem in three chunks", LIMIT, async () => {
    const events = await collect(client.stream({ text: "slow" }));
    assert.deepEqual(events.map(({ kind }) => kind), ["task", "status", "artifact", "artifact", "artifact", "status"]);
    assert.deepEqual(events.filter(({ kind }) => kind === "artifact").map(({ append, last }) => [append, last]), [[false, false], [true, false], [true, true]]);
    assert.equal(events.at(-1).state, "completed");
  });

  test("asks back and goes on", LIMIT, async () => {
    const task = await client.send({ text: "ask" });
    assert.deepEqual([task.state, task.text], ["input-required", "What is your name?"]);
    const done = await client.send({ text: "Ada", taskId: task.id, contextId: task.contextId });
    assert.deepEqual(done.artifacts[0].parts, [{ text: "Hello, Ada!" }]);
  });

  test("is cancelled from another request, and who watches sees it", LIMIT, async () => {
    const task = await client.send({ text: "wait" }, { blocking: false });
    const watching = client.resubscribe(task.id);
    assert.equal((await watching.next()).value.id, task.id);
    const rest = collect(watching);
    assert.equal((await client.cancel(task.id)).state, "canceled");
    assert.equal((await rest).at(-1).state, "canceled");
  });

  test("fails", LIMIT, async () => {
    assert.equal((await client.send({ text: "fail" })).state, "failed");
  });

  test("sends files", LIMIT, async () => {
    const { parts } = await client.send({ text: "file" });
    assert.deepEqual(parts.map(({ name, mediaType }) => [name, mediaType]), [["pixel.png", "image/png"], ["pixel.png", "image/png"]]);
    assert.ok(parts[0].bytes && parts[1].uri);
  });

  test("sends data of every JSON type", LIMIT, async () => {
    const values = DATA_VALUES.filter((value) => value !== null); // which its own SDK's client cannot read
    const parts = values.map((data) => (client.version === "0.3" && (typeof data !== "object" || Array.isArray(data)) ? { data: { value: data }, metadata: { data_part_compat: true } } : { data }));
    const { parts: got } = await client.send({ parts: [{ text: "data" }, ...parts] });
    assert.deepEqual(got, parts);
  });

  test("does not know a task of nobody's", LIMIT, async () => {
    await assert.rejects(client.get("no-such-task"), { type: "TaskNotFoundError" });
  });
}

describe("the sample agent", () => {
  let agent;
  before(async () => { agent = await startSampleAgent(); });
  after(() => agent.stop());
  for (const transport of ["JSONRPC", "HTTP+JSON"]) describe(`over ${transport}`, () => everySkill(() => connectJs1(agent.url, { transport })));

  test("refuses what is not v1.0", LIMIT, async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params: {} });
    const { error } = await (await fetch(`${agent.url}/a2a/jsonrpc`, { method: "POST", headers: { "content-type": "application/json" }, body })).json();
    assert.equal(error.code, -32009);
  });
});

describe("the sample agent behind the gateway, bound as AGENT", () => {
  let gateway;
  before(async () => { gateway = await startGateway({ agentBinding: true }); });
  after(() => gateway.stop());
  describe("for a v0.3 client", () => everySkill(() => connectJs03(gateway.url)));
  describe("for a v1.0 client", () => everySkill(() => connectJs1(gateway.url)));
});
