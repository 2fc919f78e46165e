// A driver over the client of @a2a-js/sdk 1.3.0, its own v0.3 compat layer off.
import { Role, TaskState, taskStateToJSON } from "@a2a-js/sdk";
import {
  ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory, ServiceParameters, withA2AExtensions,
} from "@a2a-js/sdk/client";
import { A2AError } from "@a2a-js/sdk/errors";
import { PeerError, textOf, tidy } from "./neutral.mjs";

function peerError(error) {
  const typed = [error, error.cause].find((candidate) => candidate instanceof A2AError);
  return new PeerError({
    type: (typed ?? error).name.replace(/^JsonRpc/, ""), code: typed?.envelopeCode, message: error.message,
  });
}

const toPart = ({ text, bytes, uri, data, name, mediaType, metadata }) => ({
  content:
    text !== undefined ? { $case: "text", value: text }
    : bytes !== undefined ? { $case: "raw", value: Buffer.from(bytes, "base64") }
    : uri !== undefined ? { $case: "url", value: uri }
    : { $case: "data", value: data },
  metadata, filename: name ?? "", mediaType: mediaType ?? "",
});
const fromPart = (part) => {
  const known = tidy({ name: part.filename, mediaType: part.mediaType, metadata: part.metadata });
  switch (part.content?.$case) {
    case "text": return { text: part.content.value, ...known };
    case "raw": return { bytes: Buffer.from(part.content.value).toString("base64"), ...known };
    case "url": return { uri: part.content.value, ...known };
    case "data": return { data: part.content.value, ...known };
    default: throw new PeerError({ type: "empty part", message: "the SDK read a part without content" });
  }
};

const word = (state) => taskStateToJSON(state).replace("TASK_STATE_", "").toLowerCase().replace("_", "-").replace("unspecified", "unknown");
const fromMessage = (message) => tidy({
  kind: "message", role: message.role === Role.ROLE_USER ? "user" : "agent", contextId: message.contextId,
  parts: message.parts.map(fromPart), metadata: message.metadata,
});
const texts = (message) => (message?.parts ?? []).map((part) => (part.content?.$case === "text" ? part.content.value : "")).join("");
const fromTask = (task) => tidy({
  kind: "task", id: task.id, contextId: task.contextId, state: word(task.status.state), metadata: task.metadata,
  text: texts(task.status.message), history: task.history.map(fromMessage),
  artifacts: task.artifacts.map((artifact) => tidy({ id: artifact.artifactId, name: artifact.name, parts: artifact.parts.map(fromPart) })),
});
const fromResult = (value) => ("messageId" in value ? fromMessage(value) : fromTask(value));
const fromEvent = ({ payload }) => {
  switch (payload?.$case) {
    case "message":
    case "task":
      return fromResult(payload.value);
    case "statusUpdate": return tidy({
      kind: "status", taskId: payload.value.taskId, contextId: payload.value.contextId,
      state: word(payload.value.status.state), text: texts(payload.value.status.message),
    });
    case "artifactUpdate": return tidy({
      kind: "artifact", taskId: payload.value.taskId, contextId: payload.value.contextId, id: payload.value.artifact.artifactId,
      name: payload.value.artifact.name, parts: payload.value.artifact.parts.map(fromPart), append: payload.value.append, last: payload.value.lastChunk,
    });
    default: throw new PeerError({ type: "unknown event", message: JSON.stringify(payload) });
  }
};

const fromCard = (card) => ({
  name: card.name, description: card.description, skills: card.skills.map(({ id }) => id), interfaces: card.supportedInterfaces,
  streaming: card.capabilities?.streaming ?? false, extended: card.capabilities?.extendedAgentCard ?? false,
});

/**
 * @param {string} url where the agent is said to be; everything else is in its card
 * @param {{ authorization?: string, transport?: "JSONRPC" | "HTTP+JSON" }} [options]
 */
export async function connectJs1(url, { authorization, transport = "JSONRPC" } = {}) {
  const fetchImpl = authorization
    ? (target, init) => fetch(target, { ...init, headers: { ...init?.headers, authorization } })
    : fetch;
  const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    preferredTransports: [transport],
  }));
  const client = await factory.createFromUrl(url);
  const card = client.agentCard; // as discovered; client.getAgentCard() would ask for the extended one

  const options = ({ extensions, signal } = {}) => ({
    ...(extensions ? { serviceParameters: ServiceParameters.create(withA2AExtensions(...extensions)) } : {}),
    signal,
  });
  const params = ({ text, parts, taskId, contextId, metadata }, { blocking, historyLength } = {}) => ({
    tenant: "", metadata: undefined,
    message: {
      role: Role.ROLE_USER, messageId: crypto.randomUUID(), parts: (parts ?? [{ text }]).map(toPart),
      taskId: taskId ?? "", contextId: contextId ?? "", metadata, extensions: [], referenceTaskIds: [],
    },
    configuration: {
      acceptedOutputModes: [], taskPushNotificationConfig: undefined, historyLength,
      ...(blocking === undefined ? {} : { returnImmediately: !blocking }),
    },
  });
  const attempt = async (work, read) => {
    try {
      return read(await work());
    } catch (error) {
      throw error instanceof PeerError ? error : peerError(error);
    }
  };
  async function* events(start) {
    const leaving = new AbortController();
    try {
      for await (const event of start(leaving.signal)) yield fromEvent(event);
    } catch (error) {
      throw error instanceof PeerError ? error : peerError(error);
    } finally {
      leaving.abort();
    }
  }

  return {
    version: "1.0",
    binding: transport,
    card: fromCard(card),
    send: (message, config) => attempt(() => client.sendMessage(params(message, config), options(config)), fromResult),
    stream: (message, config) => events((signal) => client.sendMessageStream(params(message, config), options({ ...config, signal }))),
    get: (id, { historyLength } = {}) => attempt(() => client.getTask({ id, tenant: "", historyLength }, options()), fromTask),
    list: ({ contextId = "", pageSize, pageToken = "" }) => attempt(
      () => client.listTasks({ tenant: "", contextId, status: TaskState.TASK_STATE_UNSPECIFIED, pageSize, pageToken, statusTimestampAfter: undefined }, options()),
      ({ tasks, ...page }) => ({ ...page, tasks: tasks.map(fromTask) }),
    ),
    cancel: (id) => attempt(() => client.cancelTask({ id, tenant: "", metadata: undefined }, options()), fromTask),
    resubscribe: (id) => events((signal) => client.resubscribeTask({ id, tenant: "" }, options({ signal }))),
    extendedCard: () => attempt(() => client.getAgentCard(), fromCard),
    async close() {},
  };
}
