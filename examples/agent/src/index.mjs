// A sample A2A v1.0 agent as a Cloudflare Worker, on @a2a-js/sdk: JSON-RPC and HTTP+JSON, no v0.3 anywhere.
import { DurableObject } from "cloudflare:workers";
import { AGENT_CARD_PATH, AgentCard } from "@a2a-js/sdk";
import { DefaultExecutionEventBusManager, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { createCard, extendCard } from "./card.mjs";
import { Executor } from "./executor.mjs";
import { json } from "./http.mjs";
import { handleJsonRpc } from "./jsonrpc.mjs";
import { handleRest } from "./rest.mjs";

const JSONRPC_PATH = "/a2a/jsonrpc";
const REST_PATH = "/a2a/rest";
const PAUSE_MS = 400;

const cardAt = (origin) => createCard({
  interfaces: [
    { url: `${origin}${JSONRPC_PATH}`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: `${origin}${REST_PATH}`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
  ],
});

/**
 * The agent itself. It lives in a Durable Object because tasks do: whoever gets, cancels or subscribes to a task must
 * reach the place where it runs, whichever of the Worker's isolates took the request. Tasks are kept in memory and are
 * gone when the object is evicted; a real agent gives DefaultRequestHandler a TaskStore over the object's storage.
 */
export class SampleAgent extends DurableObject {
  #tasks = new InMemoryTaskStore();
  #executor = new Executor({ pause: () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS)) });
  /** @type {Map<string, DefaultRequestHandler>} by origin, because the card names it */
  #handlers = new Map();
  /** One for all origins, so that a task can be watched from any of them. */
  #buses = new DefaultExecutionEventBusManager();

  #handlerAt(origin) {
    let handler = this.#handlers.get(origin);
    if (!handler) {
      const card = cardAt(origin);
      handler = new DefaultRequestHandler(card, this.#tasks, this.#executor, this.#buses, undefined, undefined, async () => extendCard(card));
      this.#handlers.set(origin, handler);
    }
    return handler;
  }

  /** @param {Request} request */
  async fetch(request) {
    const { origin, pathname } = new URL(request.url);
    const handler = this.#handlerAt(origin);
    if (pathname === JSONRPC_PATH) return handleJsonRpc(handler, request);
    return handleRest(handler, request, pathname.slice(REST_PATH.length));
  }
}

const notAllowed = (allow) => new Response(null, { status: 405, headers: { allow } });

export default {
  /** @param {Request} request @param {{ SAMPLE_AGENT: DurableObjectNamespace }} env */
  async fetch(request, env) {
    const { origin, pathname } = new URL(request.url);
    if (pathname === `/${AGENT_CARD_PATH}`) {
      return request.method === "GET" ? json(AgentCard.toJSON(cardAt(origin))) : notAllowed("GET");
    }
    if (pathname === JSONRPC_PATH || pathname.startsWith(`${REST_PATH}/`)) {
      if (pathname === JSONRPC_PATH && request.method !== "POST") return notAllowed("POST");
      return env.SAMPLE_AGENT.get(env.SAMPLE_AGENT.idFromName("agent")).fetch(request);
    }
    return new Response("This is an A2A agent: its card is at /.well-known/agent-card.json\n", { status: 404 });
  },
};
