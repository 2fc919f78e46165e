// The two agents that the HTTP suites play, and the gateway in front of them.
import { after, beforeEach } from "node:test";
import { startGateway } from "../../js/dev/lib.mjs";
import { startRawAgent } from "../peers/raw-agent.mjs";
import { request } from "./wire.mjs";

/** For each test: none may hang. A gateway that a test starts may take a while on a busy machine. */
export const LIMIT = { timeout: 60_000 };

export const CARD_PATHS = ["/.well-known/agent-card.json", "/.well-known/agent.json", "/agent.json"];

const running = [];
after(() => Promise.all(running.map((each) => each.stop())));
beforeEach(() => {
  for (const each of running) each.forget?.();
});

/** Stops the agent or gateway after the file's last test. @template T @param {T} thing @returns {T} */
export function started(thing) {
  running.push(thing);
  return thing;
}

/** A gateway. @param {Record<string, string>} vars @param {Record<string, string>} [secrets] */
export const gateway = async (vars, secrets) => started(await startGateway({ vars, secrets }));

/**
 * A v1.0 and a v0.3 agent, a gateway in front of both (the v1.0 agent at the root, both under /agents/), and ways to
 * speak with them.
 */
export async function stage() {
  const [v10, v03] = [started(await startRawAgent({ version: "1.0" })), started(await startRawAgent({ version: "0.3" }))];
  const open = await gateway({ UPSTREAM_URL: v10.url, AGENTS: JSON.stringify({ v10: v10.url, v03: v03.url }) });

  /**
   * A client of `version` sends to the agent of the other version (or as `options` say), and `answer` plays the agent.
   * @param {"0.3" | "1.0"} version
   * @param {Parameters<typeof request>[1]} operation
   * @param {(call: Awaited<ReturnType<typeof v10.call>>) => unknown} answer
   * @param {Parameters<typeof request>[2] & { url?: string, agent?: typeof v10, init?: RequestInit }} [options]
   */
  async function exchange(version, operation, answer, { url, agent, init, ...options } = {}) {
    const [other, path] = version === "0.3" ? [v10, "/jsonrpc"] : [v03, "/agents/v03/jsonrpc"];
    const response = fetch(url ?? `${open.url}${path}`, init ?? request(version, operation, options));
    response.catch(() => {}); // a test that fails before it awaits this has its own error
    const call = await (agent ?? other).call();
    await answer(call);
    return { response: await response, call };
  }

  /** A POST to the root's endpoint, any body. */
  const post = (body, headers = {}, path = "/jsonrpc") =>
    fetch(`${open.url}${path}`, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });

  return { v10, v03, open, exchange, post };
}

/** The code of a JSON-RPC error. @param {Response} response @returns {Promise<number>} */
export async function codeOf(response) {
  const body = await response.json();
  if (!body.error) throw new Error(`no error but ${JSON.stringify(body)}`);
  return body.error.code;
}
