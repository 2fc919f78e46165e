// What a client of either version must be able to do with an agent of either version. Each scenario is written once, in
// the words of tests/peers/neutral.mjs, and is run over every pair of peers, straight and through the gateway.
import assert from "node:assert/strict";
import { EXTENSION } from "../../examples/agent/src/card.mjs";

/**
 * @typedef {object} Setting
 * @property {Awaited<ReturnType<typeof import("../peers/js-client-1.mjs").connectJs1>>} client connected by `url` alone
 * @property {{ version: "0.3" | "1.0", binding: "JSONRPC" | "HTTP+JSON", control: import("../peers/control.mjs").AgentControl }} agent
 * @property {(options: object) => Promise<Setting["client"]>} connect another client of the same kind
 * @property {string} url what the client was told: the gateway's URL, or the agent's own
 */

const legacy = ({ client }) => client.version === "0.3";

/** That it fails with the SDK's error of that type. @param {Promise<unknown>} work @param {string} type */
async function rejects(work, type) {
  const error = await work.then((value) => { throw new Error(`no ${type}, but ${JSON.stringify(value)}`); }, (reason) => reason);
  if (error.type !== type) throw new Error(`no ${type}, but ${error.code ?? "no code"}: ${error.message}`);
}

async function collect(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The first events of a stream, which stays open; `rest` reads it to its end. */
async function open(stream, count = 1) {
  const first = [];
  for (let index = 0; index < count; index++) {
    const { value, done } = await stream.next();
    assert.ok(!done, `the stream ended after ${index} events`);
    first.push(value);
  }
  return { first, rest: () => collect(stream), leave: () => stream.return() };
}

/** What an event says, without ids. */
function gist(event) {
  switch (event.kind) {
    case "status": return event.final ? `${event.state} (final)` : event.state;
    case "artifact": return `${event.id}${event.last ? " ." : ""}: ${event.parts.map((part) => part.text).join("")}`;
    default: return `${event.kind} ${event.state ?? ""}`.trim();
  }
}
const gists = (events) => events.map(gist);

/** A terminal or last status as the client's version writes it. */
const final = (setting, state) => (legacy(setting) ? `${state} (final)` : state);

/** Starts a task that goes on in the background; its snapshot. */
async function start({ client }, text) {
  const task = await client.send({ text }, { blocking: false });
  assert.equal(task.kind, "task");
  return task;
}

const bytes = Buffer.from([0, 255, 128, 13, 10, 200, 1]).toString("base64"); // no UTF-8
const files = [{ bytes, name: "raw.bin", mediaType: "application/x-raw" }, { uri: "https://example.com/a?b=c&d=%20", name: "a.txt", mediaType: "text/plain" }];

const nameless = ({ name: _name, ...part }) => part;

/** Data parts of every JSON type, as a v1.0 peer writes them and as v0.3 can carry them. */
const VALUES = [{ deep: { list: [1, { a: null }] } }, [1, "two", { three: 3 }, null], 3.25, "text", false];
const plain = (value) => ({ data: value });
const wrapped = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { data: value } : { data: { value }, metadata: { data_part_compat: true } };

/** How such a part is written to an agent. */
const asArrived = ({ version, binding }) => (value) => {
  if (version === "1.0") return plain(value);
  const { data, ...rest } = wrapped(value);
  return binding === "JSONRPC" ? { kind: "data", data, ...rest } : { data: { data }, ...rest };
};

/** What is asked of lists of tasks: v0.3 has none, so that a v1.0 client is told so. */
const lists = (run) => async (setting) => {
  const contextId = `context: é/${crypto.randomUUID()}`;
  if (setting.client.version === "1.0" && setting.agent.version === "0.3") {
    await rejects(setting.client.list({ contextId }), "UnsupportedOperationError");
  } else {
    await run(setting, contextId);
  }
};

/** Three tasks of a conversation; their ids. */
async function three({ client }, contextId) {
  const ids = [];
  for (const text of ["task one", "task two", "task three"]) ids.push((await client.send({ text, contextId })).id);
  return ids.sort();
}

/** A task with an id that is hard to write into a URL. */
const oddId = (id) => async ({ client, agent }) => {
  await agent.control.task(id);
  const task = await client.get(id);
  assert.deepEqual([task.id, task.state], [id, "working"]);
  const canceled = await client.cancel(id);
  assert.deepEqual([canceled.id, canceled.state], [id, "canceled"]);
  await rejects(client.get(`${id} other`), "TaskNotFoundError");
};

/** @type {{ name: string, run: (setting: Setting) => Promise<void> }[]} */
export const SCENARIOS = [
  {
    name: "finds the agent by its URL alone",
    async run(setting) {
      const { client, url } = setting;
      assert.match(client.card.name, /agent/i);
      assert.ok(client.card.skills.includes("slow"), `skills: ${client.card.skills}`);
      assert.equal(client.card.streaming, true);
      assert.equal(client.card.extended, true);
      const { origin } = new URL(url);
      if (legacy(setting)) {
        assert.equal(new URL(client.card.url).origin, origin);
        assert.match(client.card.protocolVersion, /^0\.3/);
      } else {
        const mine = client.card.interfaces.filter((entry) => entry.protocolVersion === "1.0" && entry.protocolBinding === client.binding);
        assert.ok(mine.length > 0, JSON.stringify(client.card.interfaces));
        for (const entry of client.card.interfaces) assert.equal(new URL(entry.url).origin, origin);
      }
    },
  },
  {
    name: "sends and gets a message back",
    async run({ client }) {
      const answer = await client.send({ text: "hello", metadata: { trace: "t-1", nested: { list: [1, "a", null] } } });
      assert.equal(answer.kind, "message");
      assert.equal(answer.role, "agent");
      assert.deepEqual(answer.parts, [{ text: "hello" }]);
      assert.deepEqual(answer.metadata, { trace: "t-1", nested: { list: [1, "a", null] } });
    },
  },
  {
    name: "sends and waits for the completed task",
    async run({ client }) {
      const task = await client.send({ text: "task hello" }, { blocking: true });
      assert.equal(task.kind, "task");
      assert.equal(task.state, "completed");
      assert.equal(task.text, "Done.");
      assert.deepEqual(task.artifacts, [{ id: "echo", name: "echo", parts: [{ text: "task hello" }] }]);
    },
  },
  {
    name: "sends without waiting and looks again later",
    async run({ client, agent }) {
      const task = await start({ client }, "hold 1");
      assert.equal(task.state, "working");
      const ending = collect(client.resubscribe(task.id));
      await agent.control.wait({ streams: 1 });
      await agent.control.release(2);
      await ending;
      const later = await client.get(task.id);
      assert.equal(later.state, "completed");
      assert.deepEqual(later.artifacts, [{ id: "held", name: "held", parts: [{ text: "chunk 0" }] }]);
    },
  },
  {
    name: "is told that a task failed",
    async run(setting) {
      const events = await collect(setting.client.stream({ text: "fail" }));
      assert.equal(gist(events.at(-1)), final(setting, "failed"));
      assert.equal(events.at(-1).text, "This one always fails.");
    },
  },
  {
    name: "streams every event in order and whole",
    async run(setting) {
      const events = await collect(setting.client.stream({ text: "slow" }));
      assert.deepEqual(gists(events), [
        "task submitted", "working", "poem: Two dialects met at a gate,\n", "poem: one said “kind”, one said “case”;\n",
        "poem .: the gate let both in.\n", final(setting, "completed"),
      ]);
      assert.equal(events[1].text, "Writing a poem.");
      assert.equal(events[2].name, "poem.txt");
      const [{ id, contextId }, ...updates] = events;
      for (const update of updates) assert.deepEqual({ id: update.taskId, contextId: update.contextId }, { id, contextId });
    },
  },
  {
    name: "is told which chunks are appended and which is the last",
    async run({ client }) {
      const events = await collect(client.stream({ text: "slow" }));
      const chunks = events.filter(({ kind }) => kind === "artifact");
      assert.deepEqual(chunks.map(({ append, last }) => [append, last]), [[false, false], [true, false], [true, true]]);
    },
  },
  {
    name: "gets each event when the agent sends it",
    async run(setting) {
      const { client, agent } = setting;
      const stream = client.stream({ text: "hold 2" });
      const { first } = await open(stream);
      assert.deepEqual(gists(first), ["task working"]);
      for (const expected of ["held: chunk 0", "held .: chunk 1", final(setting, "completed")]) {
        await agent.control.wait({ waiting: 1 });
        const next = stream.next(); // asked before the agent may go on
        await agent.control.release();
        assert.equal(gist((await next).value), expected);
      }
      assert.equal((await stream.next()).done, true);
    },
  },
  {
    name: "two subscribers see the same order",
    async run(setting) {
      const { client, agent } = setting;
      const task = await start(setting, "hold 3");
      const endings = [collect(client.resubscribe(task.id)), collect(client.resubscribe(task.id))];
      await agent.control.wait({ streams: 2 });
      await agent.control.release(4);
      const [one, two] = (await Promise.all(endings)).map(gists);
      assert.deepEqual(one.filter((event) => !event.startsWith("task")), ["held: chunk 0", "held: chunk 1", "held .: chunk 2", final(setting, "completed")]);
      assert.deepEqual(two, one);
    },
  },
  {
    name: "resubscribes to a running task",
    async run(setting) {
      const { client, agent } = setting;
      const stream = client.stream({ text: "hold 2" });
      const { first: [task], leave } = await open(stream);
      await agent.control.wait({ waiting: 1 });
      const again = collect(client.resubscribe(task.id));
      await agent.control.wait({ streams: 2 });
      await agent.control.release(3);
      const events = await again;
      assert.deepEqual(gists(events), ["task working", "held: chunk 0", "held .: chunk 1", final(setting, "completed")]);
      assert.equal(events[0].id, task.id);
      await leave();
    },
  },
  {
    name: "resubscribes to a finished task",
    async run(setting) {
      const { client } = setting;
      const task = await client.send({ text: "task done" });
      if (legacy(setting)) {
        const events = await collect(client.resubscribe(task.id));
        assert.deepEqual(gists(events), ["task completed"]);
        assert.deepEqual(events[0].artifacts, task.artifacts);
      } else {
        await rejects(collect(client.resubscribe(task.id)), "UnsupportedOperationError");
      }
    },
  },
  {
    name: "resubscribes to an unknown task",
    run: ({ client }) => rejects(collect(client.resubscribe("no-such-task")), "TaskNotFoundError"),
  },
  {
    name: "gets a task with its whole history",
    async run({ client }) {
      const task = await conversation(client);
      const { history } = await client.get(task.id);
      assert.ok(history?.length >= 2, `${history?.length ?? 0} messages`);
      assert.deepEqual([history?.at(0)?.parts, history?.at(-1)?.parts], [[{ text: "ask" }], [{ text: "Ada" }]]);
    },
  },
  {
    name: "gets a task with historyLength 1",
    async run({ client }) {
      const task = await conversation(client);
      const { history } = await client.get(task.id, { historyLength: 1 });
      assert.deepEqual(history.map(({ parts }) => parts), [[{ text: "Ada" }]]);
    },
  },
  {
    name: "gets a task with historyLength 0", // none in v1.0, no limit in v0.3
    async run(setting) {
      const task = await conversation(setting.client);
      const { history } = await setting.client.get(task.id, { historyLength: 0 });
      if (legacy(setting)) assert.ok(history.length >= 2, `${history.length} messages`);
      else assert.deepEqual(history ?? [], []);
    },
  },
  {
    name: "is told by its own error that a task is unknown",
    async run({ client }) {
      await rejects(client.get("no-such-task"), "TaskNotFoundError");
      await rejects(client.cancel("no-such-task"), "TaskNotFoundError");
      await rejects(client.send({ text: "hello", taskId: "no-such-task" }), "TaskNotFoundError");
    },
  },
  {
    name: "is told so before a stream, too",
    run: ({ client }) => rejects(collect(client.stream({ text: "hello", taskId: "no-such-task" })), "TaskNotFoundError"),
  },
  {
    name: "cancels a running task",
    async run(setting) {
      const task = await start(setting, "wait");
      const canceled = await setting.client.cancel(task.id);
      assert.deepEqual([canceled.id, canceled.state], [task.id, "canceled"]);
      assert.equal((await setting.client.get(task.id)).state, "canceled");
    },
  },
  {
    name: "is told in its stream that the task is canceled",
    async run(setting) {
      const { client } = setting;
      const { first: [task], rest } = await open(client.stream({ text: "wait" }));
      const ending = rest();
      await client.cancel(task.id);
      assert.deepEqual(gists(await ending), ["working", final(setting, "canceled")]);
    },
  },
  {
    name: "cannot cancel a completed task",
    async run({ client }) {
      const task = await client.send({ text: "task done" });
      await rejects(client.cancel(task.id), "TaskNotCancelableError");
    },
  },
  {
    name: "answers a question of the agent's",
    async run(setting) {
      const { client } = setting;
      const events = await collect(client.stream({ text: "ask" })); // it ends: the client need not guess when
      const [task] = events;
      assert.deepEqual(gists(events), ["task working", final(setting, "input-required")]);
      assert.equal(events.at(-1).text, "What is your name?");
      const done = await client.send({ text: "Ada", taskId: task.id, contextId: task.contextId });
      assert.deepEqual([done.id, done.state], [task.id, "completed"]);
      assert.deepEqual(done.artifacts.map(({ parts }) => parts), [[{ text: "Hello, Ada!" }]]);
    },
  },
  {
    name: "follows a task through auth-required",
    async run(setting) {
      const { client, agent } = setting;
      const stream = client.stream({ text: "auth" });
      const { first } = await open(stream, 2); // the agent is held: the second comes although nothing follows it
      assert.deepEqual(gists(first), ["task working", "auth-required"]);
      await agent.control.release();
      assert.deepEqual(gists(await collect(stream)), [final(setting, "completed")]);
    },
  },
  {
    name: "sends files by bytes and by URI and gets them back",
    async run({ client }) {
      const answer = await client.send({ parts: [{ text: "file" }, ...files] });
      assert.deepEqual(answer.parts.map(nameless), files.map(nameless));
    },
  },
  {
    name: "gets files that the agent made",
    async run({ client }) {
      const { parts: [byBytes, byUri] } = await client.send({ text: "file" });
      assert.equal(Buffer.from(byBytes.bytes, "base64").subarray(1, 4).toString(), "PNG");
      assert.equal(byBytes.mediaType, "image/png");
      assert.deepEqual(nameless(byUri), { uri: "https://example.com/pixel.png", mediaType: "image/png" });
    },
  },
  {
    name: "sends and gets the names of files",
    async run({ client }) {
      const own = await client.send({ text: "file" });
      const sent = await client.send({ parts: [{ text: "file" }, ...files] });
      assert.deepEqual([...own.parts, ...sent.parts].map(({ name }) => name), ["pixel.png", "pixel.png", "raw.bin", "a.txt"]);
    },
  },
  {
    name: "sends data parts that are objects and gets them back",
    async run({ client }) {
      const parts = [{ data: { deep: { list: [1, { a: null }], none: {} } } }, { data: {} }];
      const answer = await client.send({ parts: [{ text: "data" }, ...parts] });
      assert.deepEqual(answer.parts, parts);
    },
  },
  {
    name: "sends data parts of every JSON type and gets them back",
    async run(setting) {
      const parts = VALUES.map(legacy(setting) ? wrapped : plain);
      const answer = await setting.client.send({ parts: [{ text: "data" }, ...parts] });
      assert.deepEqual(answer.parts, parts);
      const body = JSON.parse((await setting.agent.control.last()).body);
      const { message } = body.params ?? body;
      const arrived = (message.parts ?? message.content).slice(1);
      const written = VALUES.map(asArrived(setting.agent));
      assert.deepEqual(arrived.map(({ metadata, ...part }) => (metadata && Object.keys(metadata).length > 0 ? { ...part, metadata } : part)), written);
    },
  },
  {
    name: "sends a data part that is null and gets it back",
    async run(setting) {
      const parts = [legacy(setting) ? wrapped(null) : plain(null)];
      const answer = await setting.client.send({ parts: [{ text: "data" }, ...parts] });
      assert.deepEqual(answer.parts, parts);
    },
  },
  {
    name: "lists no tasks where there are none",
    run: lists(async ({ client }, contextId) => {
      const page = await client.list({ contextId });
      assert.deepEqual([page.tasks, page.nextPageToken, page.totalSize], [[], "", 0]);
    }),
  },
  {
    name: "lists tasks on one page",
    run: lists(async (setting, contextId) => {
      const ids = await three(setting, contextId);
      const page = await setting.client.list({ contextId });
      assert.deepEqual([page.tasks.map(({ id }) => id).sort(), page.nextPageToken, page.totalSize], [ids, "", 3]);
      for (const task of page.tasks) assert.deepEqual([task.state, task.contextId], ["completed", contextId]);
    }),
  },
  {
    name: "lists tasks page by page",
    run: lists(async (setting, contextId) => {
      const ids = await three(setting, contextId);
      const first = await setting.client.list({ contextId, pageSize: 2 });
      assert.deepEqual([first.tasks.length, first.pageSize, first.totalSize], [2, 2, 3]);
      const second = await setting.client.list({ contextId, pageSize: 2, pageToken: first.nextPageToken });
      assert.deepEqual([second.tasks.length, second.nextPageToken], [1, ""]);
      assert.deepEqual([...first.tasks, ...second.tasks].map(({ id }) => id).sort(), ids);
    }),
  },
  {
    name: "reaches a task whose id has a colon and an accent",
    run: oddId("urn:täsk:1"),
  },
  {
    name: "reaches a task whose id has a slash and a percent sign",
    run: oddId("a/b?c=%2F&d#e:subscribe"),
  },
  {
    name: "reads the extended card",
    async run({ client }) {
      const card = await client.extendedCard();
      assert.match(card.name, /\(extended\)$/);
      assert.ok(card.skills.includes("secret"), `skills: ${card.skills}`);
    },
  },
  {
    name: "asks for an extension",
    async run({ client, agent }) {
      await client.send({ text: "hello" }, { extensions: [EXTENSION, "https://example.com/other"] });
      const { headers } = await agent.control.last();
      const [mine, other] = agent.version === "1.0" ? ["a2a-extensions", "x-a2a-extensions"] : ["x-a2a-extensions", "a2a-extensions"];
      assert.equal(headers[mine]?.replace(/\s/g, ""), `${EXTENSION},https://example.com/other`);
      assert.equal(headers[other], undefined);
    },
  },
  {
    name: "is refused without a required extension",
    async run({ client, agent }) {
      await agent.control.options({ requireExtension: true });
      try {
        await assert.rejects(client.send({ text: "hello" }), (error) => {
          assert.ok(error.code === -32008 || error.type === "ExtensionSupportRequiredError", `${error.type} ${error.code}: ${error.message}`);
          return true;
        });
        assert.equal((await client.send({ text: "hello" }, { extensions: [EXTENSION] })).kind, "message");
      } finally {
        await agent.control.options({ requireExtension: false });
      }
    },
  },
  {
    name: "is authorized by its own credentials",
    async run({ client, agent, connect }) {
      await agent.control.options({ requireAuthorization: true });
      const known = await connect({ authorization: "Bearer let-me-in" });
      try {
        assert.equal((await known.send({ text: "hello" })).kind, "message");
        assert.equal((await agent.control.last()).headers.authorization, "Bearer let-me-in");
        await assert.rejects(client.send({ text: "hello" }), (error) => {
          assert.match(`${error.message} ${error.code}`, /401|unauthori[sz]ed/i);
          return true;
        });
      } finally {
        await agent.control.options({ requireAuthorization: false });
        await known.close();
      }
    },
  },
  {
    name: "is told when the agent dies in the middle of a stream",
    async run({ client, agent }) {
      const stream = client.stream({ text: "die" });
      await open(stream, 2);
      await agent.control.wait({ waiting: 1 });
      const rest = collect(stream);
      await agent.control.release();
      await assert.rejects(rest, (error) => error.name === "PeerError");
    },
  },
];

/** A task with a question, its answer and so several messages. */
async function conversation(client) {
  const { id, contextId } = await client.send({ text: "ask" });
  return client.send({ text: "Ada", taskId: id, contextId });
}
