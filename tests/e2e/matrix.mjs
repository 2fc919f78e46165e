// Runs all scenarios over one pair of peers and remembers how each went, for the table at the end. A peer is an SDK, the
// key of CLIENTS or AGENTS, and the one binding that it is to use.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { startGateway } from "../../js/dev/lib.mjs";
import { AGENTS, startAgent } from "../peers/agents.mjs";
import { CLIENTS } from "../peers/clients.mjs";
import { venvProblem } from "../peers/python.mjs";
import { limitsOf } from "./limits.mjs";
import { SCENARIOS } from "./scenarios.mjs";

const DEADLINE_MS = 10_000;

/** @typedef {{ sdk: string, binding: "JSONRPC" | "HTTP+JSON" }} Peer */

/** A peer's name. @param {typeof CLIENTS | typeof AGENTS} all @param {Peer} peer */
const nameOf = (all, { sdk, binding }) => `${all[sdk].title}, ${binding}`;

/** @type {Map<string, Map<string, string>>} pair → scenario → "ok" | "peer" | "FAIL" | "not run" */
const table = new Map();

/** Why this pair cannot run here, or undefined. @param {Peer} client @param {Peer} agent */
function missing(client, agent) {
  for (const { sdk } of [client, agent]) {
    const version = /^py-(.*)$/.exec(sdk)?.[1];
    const problem = version && venvProblem(version);
    if (problem) return problem;
  }
  return undefined;
}

async function within(work) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${DEADLINE_MS / 1000} s`)), DEADLINE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The reason of a failure in one line. */
const oneLine = (error) => `${error.message}`.replace(/\s+/g, " ").trim();

/**
 * Registers a test per scenario on `t`.
 * @param {import("node:test").TestContext} t
 * @param {object} pair
 * @param {Peer} pair.client
 * @param {Peer} pair.agent whose card offers that binding alone
 * @param {(agentUrl: string) => Promise<{ url: string, stop: () => Promise<void>, logs?: string[], records?: () => object[] }>} pair.between
 *   what the client is told instead of the agent's URL
 * @param {string} pair.title
 * @param {boolean} pair.baseline whether the pair is straight, so that a peer's limits must show
 * @param {string} [pair.problem] why the pair cannot run
 */
async function runPair(t, { client: clientPeer, agent: agentPeer, between, title, baseline, problem }) {
  const column = table.get(title);
  if (problem) {
    console.log(`not run: ${title}: ${problem}`);
    for (const { name } of SCENARIOS) column.set(name, "not run");
    t.skip(`not run: ${problem}`);
    return;
  }
  const agent = await startAgent(agentPeer.sdk, agentPeer.binding);
  t.after(() => agent.stop());
  const { url, stop, logs = [], records } = await between(agent.url);
  t.after(stop);
  const connect = (options) => CLIENTS[clientPeer.sdk].connect(url, { ...options, transport: clientPeer.binding });
  let client;
  t.after(() => client?.close());

  for (const { name, run } of SCENARIOS) {
    await t.test(name, async (cell) => {
      const limits = limitsOf(name, { client: clientPeer, agent: agentPeer, baseline });
      let failure;
      try {
        await agent.control.reset();
        client ??= await within(connect());
        await within(run({ client, agent, connect, url }));
      } catch (error) {
        failure = error;
        await client?.close(); // whatever it still waits for must not disturb the next scenario
        client = undefined;
      }
      const known = failure && limits.find((limit) => limit.error.test(oneLine(failure)));
      if (known) {
        column.set(name, "peer");
        cell.diagnostic(`${known.client ? nameOf(CLIENTS, clientPeer) : nameOf(AGENTS, agentPeer)} itself cannot: ${known.why} (${oneLine(failure)})`);
        return;
      }
      column.set(name, failure ? "FAIL" : "ok");
      if (failure) {
        for (const [who, lines] of [["agent", agent.log()], ["gateway", logs.join("\n")]]) {
          if (lines) cell.diagnostic(`${who}'s log: ${lines.slice(-2000)}`);
        }
        throw failure;
      }
      if (baseline && limits.length > 0) {
        column.set(name, "FAIL");
        throw new Error(`limits.mjs says that this fails (${limits.map(({ why }) => why).join("; ")}), and it does not: remove the limit`);
      }
    });
  }
  if (records) await t.test("all of it in the versions that the pair is about", () => spokeAsMeant(records(), clientPeer, agentPeer));
}

/**
 * That what went through the gateway was the pair's: neither side's own compatibility layer nor another binding.
 * @param {Record<string, unknown>[]} records the gateway's log
 * @param {Peer} client
 * @param {Peer} agent
 */
function spokeAsMeant(records, client, agent) {
  const calls = records.filter(({ clientBinding }) => clientBinding !== undefined);
  assert.ok(calls.length >= SCENARIOS.length, `${calls.length} calls`);
  for (const { clientVersion, clientBinding, upstreamVersion, upstreamBinding, operation } of calls) {
    assert.deepEqual([clientVersion, clientBinding], [CLIENTS[client.sdk].version, client.binding], operation);
    if (operation === "ListTasks" && AGENTS[agent.sdk].version === "0.3") continue; // refused without asking the agent
    assert.deepEqual([upstreamVersion, upstreamBinding], [AGENTS[agent.sdk].version, agent.binding], operation);
  }
}

/** How many pairs run at a time: each waits more than it works. */
const AT_A_TIME = 3;

/**
 * A test per pair and the table of all.
 * @param {string} heading
 * @param {{ client: Peer, agent: Peer }[]} pairs
 * @param {{ baseline?: boolean }} [options] `baseline`: face to face instead of through a gateway
 */
export function testPairs(heading, pairs, { baseline = false } = {}) {
  const straight = async (url) => ({ url, stop: async () => {} });
  const through = (agentUrl) => startGateway({ vars: { UPSTREAM_URL: agentUrl } });
  const between = baseline ? straight : through;
  // Before any pair runs: making a Python peer's environment holds this process up, and the pairs' clocks would run on.
  const ready = pairs.map((pair) => ({ ...pair, problem: missing(pair.client, pair.agent) }));
  describe(heading, { concurrency: AT_A_TIME }, () => {
    for (const { client, agent, problem } of ready) {
      const title = [nameOf(CLIENTS, client), ...(baseline ? [] : ["gateway"]), nameOf(AGENTS, agent)].join(" → ");
      table.set(title, new Map());
      test(title, (t) => runPair(t, { client, agent, between, title, baseline, problem }));
    }
  });
  after(() => console.log(report(heading)));
}

/** The table of all pairs that ran, as text. */
function report(heading) {
  const titles = [...table.keys()].filter((title) => table.get(title).size > 0);
  if (titles.length === 0) return "";
  const width = Math.max(...SCENARIOS.map(({ name }) => name.length));
  const marks = { ok: "ok", peer: "peer", FAIL: "FAIL", "not run": "–" };
  const lines = [
    heading,
    ...titles.map((title, index) => `  ${String.fromCharCode(65 + index)}  ${title}`),
    `  ${"".padEnd(width)}  ${titles.map((_title, index) => String.fromCharCode(65 + index).padEnd(5)).join("")}`,
    ...SCENARIOS.map(({ name }) =>
      `  ${name.padEnd(width)}  ${titles.map((title) => (marks[table.get(title).get(name)] ?? "–").padEnd(5)).join("")}`),
    "  ok: works · peer: the peer itself cannot, see tests/e2e/limits.mjs · FAIL · –: not run",
  ];
  return `\n${lines.join("\n")}\n`;
}
