// What goes over the wire, for tests that speak raw HTTP: JSON-RPC in both versions, and the reading of event streams.

/** @typedef {"0.3" | "1.0"} Version */

const METHODS = {
  "0.3": { send: "message/send", stream: "message/stream", get: "tasks/get", cancel: "tasks/cancel", resubscribe: "tasks/resubscribe", extendedCard: "agent/getAuthenticatedExtendedCard" },
  "1.0": { send: "SendMessage", stream: "SendStreamingMessage", get: "GetTask", cancel: "CancelTask", resubscribe: "SubscribeToTask", extendedCard: "GetExtendedAgentCard" },
};

const stateOf = (word) => `TASK_STATE_${word.toUpperCase().replace("-", "_")}`;

/** The two versions' words for the same things: `result`s of responses and streams, and their gist. */
const V03 = {
  message: (text) => ({ kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text }] }),
  reply: (text) => ({ kind: "message", messageId: "r", role: "agent", parts: [{ kind: "text", text }] }),
  task: (state, more = {}) => ({ kind: "task", id: "t", contextId: "c", status: { state }, ...more }),
  sent: (result) => result,
  taskEvent: (state) => V03.task(state),
  status: (state, final = false) => ({ kind: "status-update", taskId: "t", contextId: "c", status: { state }, final }),
  artifact: (text, { append = false, last = false } = {}) => ({
    kind: "artifact-update", taskId: "t", contextId: "c", append, lastChunk: last, artifact: { artifactId: "a", parts: [{ kind: "text", text }] },
  }),
  gist(result) {
    switch (result.kind) {
      case "task": return `task ${result.status.state}`;
      case "status-update": return `${result.status.state}${result.final ? " (final)" : ""}`;
      case "artifact-update": return `artifact ${result.artifact.parts[0].text}`;
      case "message": return `message ${result.parts[0].text}`;
      default: return JSON.stringify(result);
    }
  },
};
const V10 = {
  message: (text) => ({ messageId: "m", role: "ROLE_USER", parts: [{ text }] }),
  reply: (text) => ({ message: { messageId: "r", role: "ROLE_AGENT", parts: [{ text }] } }),
  task: (state, more = {}) => ({ id: "t", contextId: "c", status: { state: stateOf(state) }, ...more }),
  sent: (result) => ({ task: result }),
  taskEvent: (state) => ({ task: V10.task(state) }),
  status: (state) => ({ statusUpdate: { taskId: "t", contextId: "c", status: { state: stateOf(state) } } }),
  artifact: (text, { append = false, last = false } = {}) => ({
    artifactUpdate: { taskId: "t", contextId: "c", artifact: { artifactId: "a", parts: [{ text }] }, ...(append ? { append } : {}), ...(last ? { lastChunk: last } : {}) },
  }),
  gist(result) {
    const word = (state) => state.replace("TASK_STATE_", "").toLowerCase().replace("_", "-");
    if (result.task) return `task ${word(result.task.status.state)}`;
    if (result.statusUpdate) return word(result.statusUpdate.status.state);
    if (result.artifactUpdate) return `artifact ${result.artifactUpdate.artifact.parts[0].text}`;
    if (result.message) return `message ${result.message.parts[0].text}`;
    return JSON.stringify(result);
  },
};
export const SAY = { "0.3": V03, "1.0": V10 };

/** Params of an operation, in a version's words. */
function paramsOf(version, operation, text) {
  switch (operation) {
    case "send":
    case "stream":
      return { message: SAY[version].message(text) };
    case "extendedCard":
      return undefined;
    default:
      return { id: "t" };
  }
}

/**
 * A JSON-RPC request.
 * @param {Version} version
 * @param {keyof typeof METHODS["0.3"]} operation
 * @param {{ id?: unknown, text?: string, params?: object, accept?: string, headers?: Record<string, string>, signal?: AbortSignal }} [options]
 * @returns {RequestInit}
 */
export function request(version, operation, { id = "1", text = "hello", params = paramsOf(version, operation, text), accept, headers = {}, signal } = {}) {
  return {
    method: "POST",
    signal,
    headers: {
      "content-type": "application/json",
      accept: accept ?? (["stream", "resubscribe"].includes(operation) ? "text/event-stream" : "application/json"),
      ...(version === "1.0" ? { "a2a-version": "1.0" } : {}),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method: METHODS[version][operation], params }),
  };
}

/** The method of an operation. @param {Version} version @param {keyof typeof METHODS["0.3"]} operation */
export const methodOf = (version, operation) => METHODS[version][operation];

/**
 * Reads an event stream as it comes. `next()` is the next event, or undefined at the end.
 * @param {Response} response
 */
export function readEvents(response) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let buffer = "";
  let size = 0;
  return {
    /** Bytes read so far. */
    get size() {
      return size;
    },
    /** @returns {Promise<{ event: string, data: any, comments: string[], id?: string } | undefined>} */
    async next() {
      for (;;) {
        const end = buffer.indexOf("\n\n");
        if (end >= 0) {
          const block = buffer.slice(0, end);
          buffer = buffer.slice(end + 2);
          return parseEvent(block);
        }
        const { done, value } = await reader.read();
        if (done) {
          if (buffer.trim() !== "") throw new Error(`the stream ended within an event: ${buffer}`);
          return undefined;
        }
        size += value.length;
        buffer += decoder.decode(value, { stream: true });
      }
    },
    /** All that still come. */
    async rest() {
      const events = [];
      for (let event = await this.next(); event; event = await this.next()) events.push(event);
      return events;
    },
    cancel: () => reader.cancel(),
  };
}

function parseEvent(block) {
  const fields = { event: "message", comments: [] };
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith(":")) {
      fields.comments.push(line.slice(1).trim());
      continue;
    }
    const colon = line.indexOf(":");
    const [name, value] = colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
    if (name === "data") data.push(value);
    else fields[name] = value;
  }
  return { ...fields, data: data.length > 0 ? JSON.parse(data.join("\n")) : undefined };
}

/** What an event of a client's stream says. @param {Version} version */
export const gistOf = (version, event) =>
  event.data?.error ? `${event.event} ${event.data.error.code}` : SAY[version].gist(event.data.result);
