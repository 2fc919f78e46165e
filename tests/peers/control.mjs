// How a test steers an agent and sees what happened to it: a few paths under /control/ on the agent's own server.
//
//   POST /control/release?n=1        lets n held steps go on
//   POST /control/options            {"requireAuthorization":bool,"requireExtension":bool}
//   POST /control/task?id=ID         puts a working task with that id into the agent's store
//   POST /control/reset              forgets what was recorded and what was released
//   GET  /control/state              {requests, open, streams, finished, aborted, waiting}: calls so far, calls under
//                                    way, event streams among those, how the others ended, behaviours that wait
//   GET  /control/wait?KEY=N         the state, as soon as state[KEY] >= N
//   GET  /control/last               the last A2A call (cards at their well-known path are none): {method, url, headers, body}, the body as the text it was
//
// `control.py` is the same for the Python agents.

/** Server side: sits in front of an agent's request handler. */
export class Control {
  options = { requireAuthorization: false, requireExtension: false };
  #permits = 0;
  #gates = [];
  #watchers = new Set();
  #requests = [];
  #live = new Set();
  #streams = new Set();
  #counts = { finished: 0, aborted: 0 };

  /** @param {{ onOptions?: (options: Control["options"]) => void, onTask?: (id: string) => Promise<void> }} [hooks] */
  constructor({ onOptions, onTask } = {}) {
    this.onOptions = onOptions;
    this.onTask = onTask;
  }

  get state() {
    return { requests: this.#requests.length, open: this.#live.size, streams: this.#streams.size, ...this.#counts, waiting: this.#gates.length };
  }

  /** What a behaviour waits for: the next release. */
  async gate() {
    if (this.#permits > 0) {
      this.#permits--;
      return;
    }
    const released = new Promise((resolve) => this.#gates.push(resolve));
    this.#changed();
    await released;
  }

  /** Breaks every A2A response that is under way, and the steps that come after. */
  async die() {
    for (const response of this.#live) response.destroy();
    await new Promise(() => {});
  }

  #changed() {
    for (const watcher of this.#watchers) watcher();
  }

  #release(count) {
    for (let index = 0; index < count; index++) {
      const gate = this.#gates.shift();
      if (gate) gate();
      else this.#permits++;
    }
    this.#changed();
  }

  /**
   * @param {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => void} agent
   * @returns {import("node:http").RequestListener}
   */
  inFrontOf(agent) {
    return (request, response) => {
      const url = new URL(request.url, "http://agent");
      if (url.pathname.startsWith("/control/")) return void this.#answer(request, response, url);
      const isCall = !url.pathname.startsWith("/.well-known/");
      if (isCall) this.#record(request, response);
      if (this.options.requireAuthorization && isCall && !request.headers.authorization) {
        response.writeHead(401, { "content-type": "application/json", "www-authenticate": 'Bearer realm="agent"' });
        return void response.end('{"error":"unauthorized"}');
      }
      agent(request, response);
    };
  }

  #record(request, response) {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    const entry = { method: request.method, url: request.url, headers: request.headers, get body() { return Buffer.concat(chunks).toString("utf8"); } };
    this.#requests.push(entry);
    this.#live.add(response);
    const writeHead = response.writeHead;
    response.writeHead = (...args) => {
      writeHead.apply(response, args);
      if (String(response.getHeader("content-type")).startsWith("text/event-stream")) this.#streams.add(response);
      this.#changed();
      return response;
    };
    response.on("close", () => {
      this.#live.delete(response);
      this.#streams.delete(response);
      this.#counts[response.writableFinished ? "finished" : "aborted"]++;
      this.#changed();
    });
    this.#changed();
  }

  async #answer(request, response, url) {
    const reply = (value, status = 200) => {
      response.writeHead(status, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify(value));
    };
    switch (`${request.method} ${url.pathname}`) {
      case "POST /control/release":
        this.#release(Number(url.searchParams.get("n") ?? 1));
        return reply(this.state);
      case "POST /control/options": {
        let body = "";
        for await (const chunk of request) body += chunk;
        Object.assign(this.options, JSON.parse(body));
        this.onOptions?.(this.options);
        return reply(this.options);
      }
      case "POST /control/task":
        await this.onTask(url.searchParams.get("id"));
        return reply(this.state);
      case "POST /control/reset":
        this.#requests = [];
        this.#counts = { finished: 0, aborted: 0 };
        this.#permits = 0;
        this.#gates = [];
        return reply(this.state);
      case "GET /control/state":
        return reply(this.state);
      case "GET /control/wait": {
        const wanted = [...url.searchParams];
        const met = () => wanted.every(([key, count]) => this.state[key] >= Number(count));
        if (met()) return reply(this.state);
        const watcher = () => {
          if (!met()) return;
          this.#watchers.delete(watcher);
          reply(this.state);
        };
        this.#watchers.add(watcher);
        response.on("close", () => this.#watchers.delete(watcher));
        return undefined;
      }
      case "GET /control/last": {
        const last = this.#requests.at(-1);
        return last ? reply({ ...last, body: last.body }) : reply({ error: "no request yet" }, 404);
      }
      default:
        return reply({ error: "no such control" }, 404);
    }
  }
}

/** Test side: the same words as methods. */
export class AgentControl {
  /** @param {string} url the agent's own URL, not the gateway's */
  constructor(url) {
    this.url = url;
  }

  async #call(method, path, body) {
    const response = await fetch(new URL(`/control/${path}`, this.url), {
      method, body: body && JSON.stringify(body), signal: AbortSignal.timeout(15_000),
    });
    if (!response.ok) throw new Error(`/control/${path} answered ${response.status}`);
    return response.json();
  }

  release(count = 1) {
    return this.#call("POST", `release?n=${count}`);
  }

  /** @param {{ requireAuthorization?: boolean, requireExtension?: boolean }} options */
  options(options) {
    return this.#call("POST", "options", options);
  }

  /** Puts a working task with that id into the agent's store. @param {string} id */
  task(id) {
    return this.#call("POST", `task?${new URLSearchParams({ id })}`);
  }

  reset() {
    return this.#call("POST", "reset");
  }

  state() {
    return this.#call("GET", "state");
  }

  /** @param {Record<string, number>} atLeast e.g. `{ aborted: 1 }` */
  wait(atLeast) {
    return this.#call("GET", `wait?${new URLSearchParams(Object.entries(atLeast).map(([key, count]) => [key, String(count)]))}`);
  }

  /** @returns {Promise<{ method: string, url: string, headers: Record<string, string>, body: string }>} */
  last() {
    return this.#call("GET", "last");
  }
}
