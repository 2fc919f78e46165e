// A request that crashes the WebAssembly instance: it is answered, whatever else was in flight ends properly, and the
// next request works. The build with test hooks crashes for a header; what is deployed does not know it.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { startGateway } from "../../js/dev/lib.mjs";
import { startRawAgent } from "../peers/raw-agent.mjs";
import { SAY, gistOf, readEvents, request } from "./wire.mjs";

const LIMIT = { timeout: 20_000 };
const INTERNAL_ERROR = { code: -32603, message: "Internal error" };

let agent;
let gateway;
before(async () => {
  agent = await startRawAgent({ version: "1.0" });
  gateway = await startGateway({ vars: { UPSTREAM_URL: agent.url }, testHooks: true });
});
afterEach(() => agent.forget());
after(async () => {
  await gateway?.stop();
  await agent?.stop();
});

const crash = (how, path = "/") => fetch(gateway.url + path, request("0.3", "send", { headers: { "x-a2a-compat-test": how } }));

async function assertWorks(url = gateway.url, options = {}) {
  const answer = fetch(url, request("0.3", "send", options));
  const call = await agent.call();
  call.json({ result: SAY["1.0"].reply("works") });
  const response = await answer;
  assert.equal(response.status, 200);
  assert.equal(SAY["0.3"].gist((await response.json()).result), "message works");
}

/** A stream that has had its first event. @param {"0.3" | "1.0"} client */
async function openStream(client) {
  const answer = fetch(gateway.url, request(client, "stream", { id: "s-1" }));
  const call = await agent.call();
  await call.stream().event({ result: SAY["1.0"].taskEvent("working") });
  const events = readEvents(await answer);
  assert.equal(gistOf(client, await events.next()), "task working");
  return { call, events };
}

for (const how of ["panic", "trap"]) {
  describe(`a ${how}`, () => {
    test("is answered with HTTP 500 and a JSON-RPC internal error, and the next request works", LIMIT, async () => {
      const response = await crash(how);
      assert.equal(response.status, 500);
      assert.match(response.headers.get("content-type"), /^application\/json/);
      assert.deepEqual(await response.json(), { jsonrpc: "2.0", id: null, error: INTERNAL_ERROR });
      await assertWorks();
    });

    test("is answered in the dialect of the path", LIMIT, async () => {
      const legacy = await crash(how, "/v1/message:send");
      assert.equal(legacy.status, 500);
      assert.deepEqual(await legacy.json(), INTERNAL_ERROR);
      const current = await crash(how, "/message:send");
      assert.equal(current.status, 500);
      const { error } = await current.json();
      assert.deepEqual([error.code, error.status, error.details[0].reason], [500, "INTERNAL", "INTERNAL_ERROR"]);
    });

    test("ends what waits for the agent with the same error", LIMIT, async () => {
      const answer = fetch(gateway.url, request("0.3", "send"));
      const call = await agent.call();
      await crash(how);
      const response = await answer;
      assert.equal(response.status, 500);
      assert.deepEqual((await response.json()).error, INTERNAL_ERROR);
      call.break();
      await assertWorks();
    });

    test("ends open streams with an error event", LIMIT, async () => {
      const streams = [await openStream("0.3"), await openStream("0.3")];
      await crash(how);
      for (const { call, events } of streams) {
        const { event, data } = await events.next();
        assert.equal(event, "error");
        assert.deepEqual(data, { jsonrpc: "2.0", id: "s-1", error: INTERNAL_ERROR });
        assert.equal(await events.next(), undefined);
        call.break();
      }
      await assertWorks();
    });

    test("does not touch a stream that is passed through", LIMIT, async () => {
      const { call, events } = await openStream("1.0");
      await crash(how);
      await assertWorks();
      await call.event({ result: SAY["1.0"].status("completed") });
      call.end();
      assert.equal(gistOf("1.0", await events.next()), "completed");
      assert.equal(await events.next(), undefined);
    });
  });
}

test("the build that is deployed has no such hooks", LIMIT, async () => {
  const deployed = await startGateway({ vars: { UPSTREAM_URL: agent.url } });
  try {
    for (const how of ["panic", "trap"]) await assertWorks(deployed.url, { headers: { "x-a2a-compat-test": how } });
  } finally {
    await deployed.stop();
  }
});
