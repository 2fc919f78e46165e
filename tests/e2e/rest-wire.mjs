// HTTP+JSON in both versions, for tests that speak raw HTTP, and the stage with four agents that they play.
import { request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";
import { startRawAgent } from "../peers/raw-agent.mjs";
import { gateway, started } from "./stage.mjs";
import { request } from "./wire.mjs";

/** The two versions' words over HTTP+JSON: bodies of requests and answers. */
export const REST = {
  "0.3": {
    prefix: "/v1",
    send: (text = "hello") => ({ message: { messageId: "m", role: "ROLE_USER", content: [{ text }] } }),
    reply: (text) => ({ message: { messageId: "r", role: "ROLE_AGENT", content: [{ text }] } }),
    task: (state = "WORKING") => ({ id: "t", contextId: "c", status: { state: `TASK_STATE_${state}` } }),
    status: (state, final = false) => ({ statusUpdate: { taskId: "t", contextId: "c", status: { state: `TASK_STATE_${state}` }, ...(final ? { final } : {}) } }),
  },
  "1.0": {
    prefix: "",
    send: (text = "hello") => ({ message: { messageId: "m", role: "ROLE_USER", parts: [{ text }] } }),
    reply: (text) => ({ message: { messageId: "r", role: "ROLE_AGENT", parts: [{ text }] } }),
    task: (state = "WORKING") => ({ id: "t", contextId: "c", status: { state: `TASK_STATE_${state}` } }),
    status: (state) => ({ statusUpdate: { taskId: "t", contextId: "c", status: { state: `TASK_STATE_${state}` } } }),
  },
};

/**
 * An HTTP request whose path is sent as it is written: fetch would resolve `..` in it.
 * @param {string} base
 * @param {string} method
 * @param {string} path
 * @param {{ headers?: Record<string, string>, body?: string }} [options]
 * @returns {Promise<{ status: number, headers: import("node:http").IncomingHttpHeaders, text: string, json: any }>}
 */
export async function raw(base, method, path, { headers = {}, body } = {}) {
  const { hostname, port } = new URL(base);
  const response = await new Promise((resolve, reject) => {
    const outgoing = httpRequest({ hostname, port, method, path, headers: { ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }), ...headers } }, resolve);
    outgoing.on("error", reject).end(body);
  });
  const whole = await text(response);
  return { status: response.statusCode, headers: response.headers, text: whole, get json() { return JSON.parse(whole); } };
}

/**
 * Agents of both versions and bindings, each under /agents/ by the name it has here, the v1.0 one over HTTP+JSON also at
 * the root.
 */
export async function restStage(vars = {}) {
  const agent = async (version, binding) => started(await startRawAgent({ version, binding }));
  const agents = {
    j03: await agent("0.3", "JSONRPC"), r03: await agent("0.3", "HTTP+JSON"),
    j10: await agent("1.0", "JSONRPC"), r10: await agent("1.0", "HTTP+JSON"),
  };
  const urls = Object.fromEntries(Object.entries(agents).map(([name, { url }]) => [name, url]));
  const { url } = await gateway({ UPSTREAM_URL: agents.r10.url, AGENTS: JSON.stringify(urls), ...vars });

  /** Sends JSON (or a text as it is) to a path of the gateway. */
  const call = (method, path, body, { headers = {}, signal } = {}) => fetch(`${url}${path}`, {
    method, signal, body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
  });

  /** Waits for what a client's request becomes at an agent, and lets `answer` play that agent. */
  async function played(name, asked, answer) {
    asked.catch(() => {}); // a test that fails before it awaits this has its own error
    const arrived = await agents[name].call();
    await answer(arrived);
    return { response: await asked, call: arrived };
  }

  /** A REST client's exchange with an agent. */
  const exchange = (name, [method, path, body, options], answer) => played(name, call(method, `/agents/${name}${path}`, body, options), answer);

  /** A JSON-RPC client's. @param {"0.3" | "1.0"} version */
  const rpc = (name, version, operation, options, answer) =>
    played(name, fetch(`${url}/agents/${name}/jsonrpc`, request(version, operation, options)), answer);

  return { ...agents, url, call, exchange, rpc };
}

/**
 * What an HTTP+JSON error says, in either version's shape: [HTTP status, code or reason]. Throws if the shape is not the
 * version's.
 * @param {"0.3" | "1.0"} version
 * @param {{ status: number, json: any }} answer `json` may be a method, as a Response has it
 */
export async function errorOf(version, answer) {
  const body = typeof answer.json === "function" ? await answer.json() : answer.json;
  if (version === "0.3") {
    if (typeof body.code !== "number" || typeof body.message !== "string" || "error" in body) throw new Error(`no v0.3 error: ${JSON.stringify(body)}`);
    return [answer.status, body.code];
  }
  const { code, status, message, details = [] } = body.error ?? {};
  if (code !== answer.status || typeof status !== "string" || typeof message !== "string") throw new Error(`no google.rpc.Status: ${answer.status} ${JSON.stringify(body)}`);
  const info = details.find((detail) => detail["@type"] === "type.googleapis.com/google.rpc.ErrorInfo");
  return [answer.status, info?.reason ?? status];
}
