// The streaming contract, on the wire: what the gateway does between an agent that the test plays and a raw client.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { after, before, beforeEach, describe, test } from "node:test";
import { startGateway } from "../../js/dev/lib.mjs";
import { startRawAgent } from "../peers/raw-agent.mjs";
import { SAY, gistOf, methodOf, readEvents, request } from "./wire.mjs";

/** Both ways through the gateway. */
const DIRECTIONS = [
  { client: "0.3", agent: "1.0" },
  { client: "1.0", agent: "0.3" },
];
const LIMIT = { timeout: 20_000 };
const EVENT_LIMIT = 20_000;

const agents = {};
const gateways = {};

before(async () => {
  agents["0.3"] = await startRawAgent({ version: "0.3" });
  agents["1.0"] = await startRawAgent({ version: "1.0" });
  const vars = { AGENTS: JSON.stringify({ v03: agents["0.3"].url, v10: agents["1.0"].url }) };
  const start = async (name, more) => { gateways[name] = await startGateway({ vars: { ...vars, ...more } }); };
  await start("plain", {});
  await start("idle", { STREAM_IDLE_SECONDS: "1" });
  await start("long", { STREAM_MAX_SECONDS: "2" });
  await start("big", { STREAM_MAX_BYTES: "100000", MAX_EVENT_BYTES: String(EVENT_LIMIT) });
});
after(async () => {
  await Promise.all([...Object.values(agents), ...Object.values(gateways)].map((each) => each.stop()));
});

beforeEach(() => {
  for (const agent of Object.values(agents)) agent.forget();
});

/** Where a client of the pair sends its calls. */
const endpoint = ({ agent }, gateway = "plain") => `${gateways[gateway].url}/agents/v${agent.replace(".", "")}/jsonrpc`;

/** Sends a streaming request and takes the call at the agent, which has started its stream and sent the task. */
async function open(pair, { gateway, operation = "stream", ...options } = {}) {
  const answer = fetch(endpoint(pair, gateway), request(pair.client, operation, options));
  answer.catch(() => {}); // a test that fails before it awaits this has its own error
  const call = await agents[pair.agent].call();
  assert.equal(call.rpc.method, methodOf(pair.agent, operation));
  call.stream();
  const say = SAY[pair.agent];
  await call.event({ result: say.taskEvent("working") });
  const response = await answer;
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type"), /^text\/event-stream/);
  const events = readEvents(response);
  const next = async () => {
    const event = await events.next();
    return event && gistOf(pair.client, event);
  };
  assert.equal(await next(), "task working");
  return { call, say, events, next, response };
}

const error = (code) => `error ${code}`;

for (const pair of DIRECTIONS) {
  describe(`a v${pair.client} client of a v${pair.agent} agent`, () => {
    const completed = pair.client === "0.3" ? "completed (final)" : "completed";

    test("gets each event before the agent sends the next", LIMIT, async () => {
      const { call, say, next } = await open(pair);
      for (let index = 0; index < 20; index++) {
        await call.event({ result: say.artifact(`${index}`, { append: index > 0 }) });
        assert.equal(await next(), `artifact ${index}`);
      }
      await call.event({ result: say.status("completed", true) });
      assert.equal(await next(), completed);
      call.end();
      assert.equal(await next(), undefined);
    });

    test("gets events whole that come in single bytes", LIMIT, async () => {
      const { call, say, next } = await open(pair);
      const text = `data: ${JSON.stringify({ jsonrpc: "2.0", id: call.rpc.id, result: say.artifact("ünï 🦀 \u2028") })}\n\n`;
      for (const byte of Buffer.from(text)) await call.write(Buffer.from([byte]));
      assert.equal(await next(), "artifact ünï 🦀 \u2028");
      call.end();
    });

    test("gets events whose data the agent spread over lines that end in CRLF", LIMIT, async () => {
      const { call, say, next } = await open(pair);
      const pretty = JSON.stringify({ jsonrpc: "2.0", id: call.rpc.id, result: say.artifact("pretty") }, null, 2);
      await call.write(`${pretty.split("\n").map((line) => `data: ${line}\r\n`).join("")}\r\n`);
      assert.equal(await next(), "artifact pretty");
      call.end();
    });

    test("gets comments as they come", LIMIT, async () => {
      const { call, say, events } = await open(pair);
      await call.write(": still there\n\n");
      assert.deepEqual((await events.next()).comments, ["still there"]);
      await call.write("id: 7\nretry: 500\n");
      await call.event({ result: say.artifact("x") });
      const event = await events.next();
      assert.deepEqual([event.id, event.retry, gistOf(pair.client, event)], ["7", "500", "artifact x"]);
      call.end();
    });

    test("answers carry the client's own id", LIMIT, async () => {
      const { call, say, events } = await open(pair, { id: "a client's id" });
      await call.event({ result: say.artifact("x") });
      assert.equal((await events.next()).data.id, "a client's id");
      call.end();
    });

    test("gets the response's headers although the agent says nothing yet", LIMIT, async () => {
      const answer = fetch(endpoint(pair), request(pair.client, "stream"));
      const call = await agents[pair.agent].call();
      call.stream();
      const response = await answer; // the agent has sent headers only
      assert.match(response.headers.get("content-type"), /^text\/event-stream/);
      const say = SAY[pair.agent];
      await call.event({ result: say.taskEvent("working") });
      assert.equal(gistOf(pair.client, await readEvents(response).next()), "task working");
      call.end();
    });

    test("stops the agent when it stops reading, and gets everything when it goes on", { timeout: 60_000 }, async (t) => {
      const { call, say, next } = await open(pair);
      const chunk = "x".repeat(64 * 1024);
      const count = 1000;
      let sent = 0;
      const sending = (async () => {
        for (; sent < count; sent++) await call.event({ result: say.artifact(chunk, { append: true }) });
      })();
      const stuck = await progressEnds(() => sent);
      t.diagnostic(`a reader that stops lets the agent send ${Math.round(stuck / 16)} MiB`);
      assert.ok(stuck < count / 2, `the agent could send ${stuck} of ${count} events of 64 KiB to nobody`); // 13 to 16 MiB of socket buffers
      for (let index = 0; index < count; index++) assert.equal(await next(), `artifact ${chunk}`);
      await sending;
      call.end();
      assert.equal(await next(), undefined);
    });

    test("takes the agent's stream away when it leaves", LIMIT, async () => {
      const { call, leave } = await openRaw(pair);
      leave(); // a reset, which the gateway sees although the agent is silent
      assert.equal(await call.closed, false);
    });

    test("takes it away when it leaves quietly, at the agent's next event", LIMIT, async () => {
      const { call, say, events } = await open(pair);
      await events.cancel();
      while (call.isOpen) await call.event({ result: say.artifact("to nobody") });
      assert.equal(await call.closed, false);
    });

    test("is told by an error event that the agent broke off", LIMIT, async () => {
      const { call, say, events } = await open(pair, { id: "broken" });
      await call.event({ result: say.artifact("x") });
      assert.equal(gistOf(pair.client, await events.next()), "artifact x");
      call.break();
      const last = await events.next();
      assert.equal(last.event, "error");
      assert.deepEqual([last.data.jsonrpc, last.data.id], ["2.0", "broken"]);
      assert.equal(typeof last.data.error.code, "number");
      assert.equal(await events.next(), undefined);
    });

    test("is told so within an event, too", LIMIT, async () => {
      const { call, events } = await open(pair);
      await call.write('data: {"jsonrpc":"2.0","id":');
      call.break();
      const rest = await events.rest();
      assert.deepEqual(rest.map(({ event }) => event), ["error"]);
    });

    test("gets no error where the agent ends its stream", LIMIT, async () => {
      const { call, say, next } = await open(pair);
      await call.event({ result: say.artifact("x") });
      call.end();
      assert.equal(await next(), "artifact x");
      assert.equal(await next(), undefined);
    });

    test("gets an error that the agent sends within its stream", LIMIT, async () => {
      const { call, next } = await open(pair);
      await call.event({ error: { code: -32001, message: "gone" } });
      assert.equal(await next(), error(-32001));
      call.end();
      assert.equal(await next(), undefined);
    });

    test("is told what is wrong with an event that is not A2A", LIMIT, async () => {
      for (const nonsense of ["data: nonsense\n\n", 'data: {"jsonrpc":"2.0","id":"1","result":{"neither":"nor"}}\n\n']) {
        const { call, next } = await open(pair);
        await call.write(nonsense);
        assert.equal(await next(), error(-32006));
        assert.equal(await next(), undefined);
        await call.closed;
      }
    });

    test("is told that the agent was silent for longer than STREAM_IDLE_SECONDS", LIMIT, async () => {
      const { call, events } = await open(pair, { gateway: "idle" });
      await endsWithError(events);
      assert.equal(await call.closed, false);
    });

    test("a comment of the agent's counts as a sign of life", LIMIT, async () => {
      const { call, say, next, events } = await open(pair, { gateway: "idle" });
      for (let beat = 0; beat < 3; beat++) { // 0.6 s apart, so silent for less than the second allowed
        await new Promise((resolve) => setTimeout(resolve, 600));
        await call.write(": beat\n\n");
        assert.deepEqual((await events.next()).comments, ["beat"]);
      }
      await call.event({ result: say.artifact("alive") });
      assert.equal(await next(), "artifact alive");
      call.end();
    });

    test("is told that the stream lasted longer than STREAM_MAX_SECONDS", LIMIT, async () => {
      const { call, say, events } = await open(pair, { gateway: "long" });
      const beating = setInterval(() => call.event({ result: say.artifact("beat", { append: true }) }), 100);
      const last = await endsWithError(events);
      clearInterval(beating);
      assert.ok(last.before.every((event) => gistOf(pair.client, event) === "artifact beat"));
      assert.equal(await call.closed, false);
    });

    test("is told that the stream had more than STREAM_MAX_BYTES", LIMIT, async () => {
      const { call, say, events } = await open(pair, { gateway: "big" });
      for (let index = 0; index < 12 && call.isOpen; index++) await call.event({ result: say.artifact("x".repeat(10_000), { append: true }) });
      const { before: got } = await endsWithError(events);
      assert.ok(got.length >= 5 && got.length < 12, `${got.length} events before the error`);
      assert.equal(await call.closed, false);
    });

    test("is told that an event had more than MAX_EVENT_BYTES", LIMIT, async () => {
      const { call, say, events } = await open(pair, { gateway: "big" });
      await call.event({ result: say.artifact("x".repeat(EVENT_LIMIT + 1)) });
      const { before: got } = await endsWithError(events);
      assert.deepEqual(got, []);
      assert.equal(await call.closed, false);
    });

    test("gets a plain answer to an early error if it accepts one", LIMIT, async () => {
      const answer = fetch(endpoint(pair), request(pair.client, "stream", { accept: "application/json, text/event-stream", id: 7 }));
      const call = await agents[pair.agent].call();
      call.json({ error: { code: -32001, message: "Task not found" } });
      const response = await answer;
      assert.equal(response.status, 200);
      assert.match(response.headers.get("content-type"), /^application\/json/);
      const body = await response.json();
      assert.deepEqual([body.id, body.error.code], [7, -32001]);
      assert.ok(!("result" in body));
    });
  });
}

/** The number that `read` gives once it has not changed for a second. */
async function progressEnds(read) {
  let last = read();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    if (read() === last && last > 0) return last;
    last = read();
  }
}

async function endsWithError(events) {
  const all = await events.rest();
  const last = all.at(-1);
  assert.equal(last?.event, "error", `the last of ${all.length} events is ${JSON.stringify(last)?.slice(0, 200)}`);
  assert.equal(typeof last.data.error.code, "number");
  assert.ok(last.data.error.message.length > 0);
  return { last, before: all.slice(0, -1) };
}

/** Like `open`, on a socket that can be reset. */
async function openRaw(pair) {
  const { body, headers, method } = request(pair.client, "stream");
  const outgoing = httpRequest(endpoint(pair), { method, headers, agent: false });
  outgoing.on("error", () => {}); // our own reset
  outgoing.end(body);
  const call = await agents[pair.agent].call();
  call.stream();
  await call.event({ result: SAY[pair.agent].taskEvent("working") });
  const [response] = await once(outgoing, "response");
  response.on("error", () => {});
  await once(response, "data");
  return { call, leave: () => outgoing.socket.resetAndDestroy() };
}

describe("a v0.3 client of a v1.0 agent", () => {
  const pair = DIRECTIONS[0];

  test("learns at once that a stream which ends in input-required is over", LIMIT, async () => {
    const { call, say, next } = await open(pair);
    await call.event({ result: say.status("input-required") });
    call.end();
    assert.equal(await next(), "input-required (final)");
    assert.equal(await next(), undefined);
  });

  test("gets input-required soon although the agent keeps the stream open", LIMIT, async () => {
    const { call, say, next } = await open(pair);
    await call.event({ result: say.status("input-required") });
    assert.equal(await next(), "input-required"); // the agent neither ends nor goes on
    call.end();
    assert.equal(await next(), undefined);
  });

  test("gets input-required before what follows it, and not as the last", LIMIT, async () => {
    const { call, say, next } = await open(pair);
    await call.write([say.status("input-required"), say.status("working"), say.status("completed")]
      .map((result) => `data: ${JSON.stringify({ jsonrpc: "2.0", id: call.rpc.id, result })}\n\n`).join(""));
    call.end();
    assert.deepEqual([await next(), await next(), await next(), await next()], ["input-required", "working", "completed (final)", undefined]);
  });

  test("gets a held input-required when the agent breaks off, and then the error", LIMIT, async () => {
    const { call, say, events } = await open(pair);
    await call.event({ result: say.status("input-required") });
    call.break();
    const rest = await events.rest();
    assert.deepEqual(rest.map((event) => gistOf("0.3", event)).slice(0, 1), ["input-required"]);
    assert.deepEqual(rest.map(({ event }) => event), ["message", "error"]);
  });

  test("gets an early error as an event if it accepts nothing else", LIMIT, async () => {
    const answer = fetch(endpoint(pair), request("0.3", "stream", { accept: "text/event-stream", id: "e" }));
    const call = await agents[pair.agent].call();
    call.json({ error: { code: -32001, message: "Task not found" } });
    const response = await answer;
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type"), /^text\/event-stream/);
    const [event, ...more] = await readEvents(response).rest();
    assert.deepEqual([event.event, event.data.id, event.data.error.code, more.length], ["error", "e", -32001, 0]);
  });

  test("gets the errors of a resubscription as events, whatever it accepts", LIMIT, async () => {
    for (const accept of ["text/event-stream", "application/json"]) {
      const answer = fetch(endpoint(pair), request("0.3", "resubscribe", { accept }));
      const call = await agents[pair.agent].call();
      call.json({ error: { code: -32001, message: "Task not found" } });
      const response = await answer;
      assert.equal(response.status, 200);
      assert.match(response.headers.get("content-type"), /^text\/event-stream/);
      assert.deepEqual((await readEvents(response).rest()).map((event) => gistOf("0.3", event)), [error(-32001)]);
    }
  });

  test("gets a finished task when it resubscribes to one", LIMIT, async () => {
    const answer = fetch(endpoint(pair), request("0.3", "resubscribe"));
    const subscribe = await agents[pair.agent].call();
    subscribe.json({ error: { code: -32004, message: "The task is finished" } });
    const get = await agents[pair.agent].call();
    assert.deepEqual([get.rpc.method, get.rpc.params.id], ["GetTask", "t"]);
    get.json({ result: SAY["1.0"].task("completed") });
    assert.deepEqual((await readEvents(await answer).rest()).map((event) => gistOf("0.3", event)), ["task completed"]);
  });

  test("gets the refusal of a resubscription where the task is not finished", LIMIT, async () => {
    const answer = fetch(endpoint(pair), request("0.3", "resubscribe"));
    (await agents[pair.agent].call()).json({ error: { code: -32004, message: "No streams here" } });
    (await agents[pair.agent].call()).json({ result: SAY["1.0"].task("working") });
    const [event] = await readEvents(await answer).rest();
    assert.deepEqual([event.event, event.data.error.code, event.data.error.message], ["error", -32004, "No streams here"]);
  });
});

describe("a v1.0 client of a v0.3 agent", () => {
  const pair = DIRECTIONS[1];

  test("is refused a subscription to a finished task without the agent's being asked for one", LIMIT, async () => {
    const answer = fetch(endpoint(pair), request("1.0", "resubscribe"));
    const get = await agents[pair.agent].call();
    assert.equal(get.rpc.method, "tasks/get");
    get.json({ result: SAY["0.3"].task("completed") });
    const body = await (await answer).json();
    assert.equal(body.error.code, -32004);
    assert.equal(agents[pair.agent].unanswered, 0);
  });

  test("gets the task first when it subscribes, and once", LIMIT, async () => {
    for (const repeats of [true, false]) {
      const answer = fetch(endpoint(pair), request("1.0", "resubscribe"));
      (await agents[pair.agent].call()).json({ result: SAY["0.3"].task("working") });
      const stream = await agents[pair.agent].call();
      assert.equal(stream.rpc.method, "tasks/resubscribe");
      stream.stream();
      if (repeats) await stream.event({ result: SAY["0.3"].taskEvent("working") });
      await stream.event({ result: SAY["0.3"].status("completed", true) });
      stream.end();
      assert.deepEqual((await readEvents(await answer).rest()).map((event) => gistOf("1.0", event)), ["task working", "completed"]);
    }
  });

  test("gets the task first from an agent whose stream opens with an update", LIMIT, async () => {
    const answer = fetch(endpoint(pair), request("1.0", "stream"));
    const stream = await agents[pair.agent].call();
    stream.stream();
    await stream.event({ result: SAY["0.3"].status("working") });
    const get = await agents[pair.agent].call();
    assert.deepEqual([get.rpc.method, get.rpc.params.id], ["tasks/get", "t"]);
    get.json({ result: SAY["0.3"].task("submitted") });
    await stream.event({ result: SAY["0.3"].status("completed", true) });
    stream.end();
    assert.deepEqual((await readEvents(await answer).rest()).map((event) => gistOf("1.0", event)), ["task submitted", "working", "completed"]);
  });

  test("is done when the agent says that an event is the final one", LIMIT, async () => {
    const { call, say, next } = await open(pair);
    await call.event({ result: say.status("input-required", true) });
    assert.equal(await next(), "input-required");
    assert.equal(await next(), undefined); // the agent left its stream open
    assert.equal(await call.closed, false);
  });
});
