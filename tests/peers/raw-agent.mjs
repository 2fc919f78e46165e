// An agent without an SDK: the test answers each call itself, byte by byte if it likes.
//
//   const agent = await startRawAgent({ version: "1.0" });
//   const answer = fetch(…);                  // through the gateway
//   const call = await agent.call();          // arrives here
//   call.json({ result: … });                 // or call.stream(), call.event(…), call.break()
//
// With `binding: "HTTP+JSON"` its endpoint speaks that: call.path says what is asked, call.answer(…) and call.data(…) are
// bodies and events without an envelope.
import { once } from "node:events";
import { createServer } from "node:http";

/** @typedef {"0.3" | "1.0"} Version */

const CARD = {
  name: "Raw agent", description: "Says what the test tells it to.", version: "1", defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"],
  skills: [{ id: "raw", name: "Raw", description: "Anything.", tags: ["test"] }],
};

/** A card of that version for one endpoint. @param {Version} version @param {string} url @param {"JSONRPC" | "HTTP+JSON"} [binding] */
export function rawCard(version, url, binding = "JSONRPC") {
  return version === "1.0"
    ? { ...CARD, capabilities: { streaming: true, extendedAgentCard: true }, supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: "1.0" }] }
    : { ...CARD, capabilities: { streaming: true }, supportsAuthenticatedExtendedCard: true, protocolVersion: "0.3.0", url, preferredTransport: binding };
}

/** One call that waits for the test's answer. */
class Call {
  #response;

  constructor(request, response, text) {
    this.method = request.method;
    /** Path and query. */
    this.path = request.url;
    this.headers = request.headers;
    /** The body as the text it was. */
    this.text = text;
    this.#response = response;
    /** Resolves when the connection or the answer is over: whether the answer was complete. @type {Promise<boolean>} */
    this.closed = new Promise((resolve) => response.on("close", () => resolve(response.writableFinished)));
    response.on("error", () => {}); // written to after the reader left: `closed` tells
  }

  /** The body as JSON, if it is that. */
  get rpc() {
    return JSON.parse(this.text);
  }

  /** Whether the connection is still there. */
  get isOpen() {
    return !this.#response.destroyed;
  }

  /** The whole answer at once, any status and bytes. */
  respond(status, headers, body = "") {
    this.#response.writeHead(status, headers).end(body);
  }

  /** A JSON-RPC answer to this call: `{ result }`, `{ error }`, or the text of the whole body. */
  json(answer, headers = {}) {
    const body = typeof answer === "string" ? answer : JSON.stringify({ jsonrpc: "2.0", id: this.rpc.id, ...answer });
    this.respond(200, { "content-type": "application/json", ...headers }, body);
  }

  /** An HTTP+JSON answer: a body without envelope, as JSON or as the text it is to be. */
  answer(value, { status = 200, ...headers } = {}) {
    this.respond(status, { "content-type": "application/json", ...headers }, typeof value === "string" ? value : JSON.stringify(value));
  }

  /** An HTTP+JSON event. @param {unknown} value @param {string} [type] */
  data(value, type) {
    return this.write(`${type ? `event: ${type}\n` : ""}data: ${JSON.stringify(value)}\n\n`);
  }

  /** Starts an event stream: the headers go out, nothing else. */
  stream(headers = {}) {
    this.#response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...headers });
    this.#response.flushHeaders();
    return this;
  }

  /** Writes bytes of a stream. Resolves when they have left for the socket, which a reader that stops can hold up, or when there is none. */
  async write(bytes) {
    await Promise.race([this.closed, new Promise((resolve) => this.#response.write(bytes, resolve))]);
  }

  /** An event with a JSON-RPC answer to this call. */
  event(answer) {
    return this.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: this.rpc.id, ...answer })}\n\n`);
  }

  /** Ends the stream as one does. */
  end() {
    this.#response.end();
  }

  /** Breaks the connection. */
  break() {
    this.#response.destroy();
  }
}

/**
 * @param {{ version?: Version, binding?: "JSONRPC" | "HTTP+JSON", card?: (url: string) => unknown, cardHeaders?: Record<string, string> }} [options]
 *   `card` makes another card than the version's; `url` is the agent's, its endpoint is at /rpc or, over HTTP+JSON, at /rest
 */
export async function startRawAgent({
  version = "1.0", binding = "JSONRPC", card = (url) => rawCard(version, `${url}/${binding === "JSONRPC" ? "rpc" : "rest"}`, binding), cardHeaders = {},
} = {}) {
  /** @type {Call[]} */
  const arrived = [];
  /** @type {((call: Call) => void)[]} */
  const waiting = [];
  /** Requests for the card. @type {{ headers: Record<string, string | string[] | undefined> }[]} */
  const cardRequests = [];
  const server = createServer(async (request, response) => {
    if (request.method === "GET" && request.url === "/.well-known/agent-card.json") {
      cardRequests.push({ headers: request.headers });
      response.writeHead(200, { "content-type": "application/json", ...cardHeaders }).end(JSON.stringify(card(url)));
      return;
    }
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const call = new Call(request, response, Buffer.concat(chunks).toString("utf8"));
    const taker = waiting.shift();
    if (taker) taker(call);
    else arrived.push(call);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    version,
    url,
    cardRequests,
    /** The next call, now or when it comes. @returns {Promise<Call>} */
    call() {
      const call = arrived.shift();
      return call ? Promise.resolve(call) : new Promise((resolve) => waiting.push(resolve));
    },
    /** Forgets what came and who waits, so that a test that failed does not disturb the next. */
    forget() {
      for (const call of arrived.splice(0)) call.break();
      waiting.length = 0;
    },
    /** How many calls came that no test took. */
    get unanswered() {
      return arrived.length;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
