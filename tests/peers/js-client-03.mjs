// A driver over the client of @a2a-js/sdk 0.3.14.
import {
  ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory, ServiceParameters,
  AuthenticatedExtendedCardNotConfiguredError, ContentTypeNotSupportedError, InvalidAgentResponseError,
  PushNotificationNotSupportedError, TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError, withA2AExtensions,
} from "a2a-js-sdk-0.3/client";
import { PeerError, textOf, tidy } from "./neutral.mjs";

const TYPED = {
  TaskNotFoundError, TaskNotCancelableError, PushNotificationNotSupportedError, UnsupportedOperationError,
  ContentTypeNotSupportedError, InvalidAgentResponseError, AuthenticatedExtendedCardNotConfiguredError,
};

function peerError(error) {
  for (const candidate of [error, error.cause]) {
    if (!candidate) continue;
    const type = Object.keys(TYPED).find((name) => candidate instanceof TYPED[name]);
    const response = candidate.errorResponse;
    if (type || response) return new PeerError({ type: type ?? candidate.constructor.name, code: response?.error?.code, message: error.message });
  }
  const [, code] = /\(Code: (-\d+)\)/.exec(error.message) ?? []; // over HTTP+JSON it is in the text alone
  return new PeerError({ type: error.constructor.name, code: code && Number(code), message: error.message });
}

const toPart = ({ text, bytes, uri, data, name, mediaType, metadata }) => {
  const known = metadata ? { metadata } : {};
  if (text !== undefined) return { kind: "text", text, ...known };
  if (data !== undefined) return { kind: "data", data, ...known };
  return { kind: "file", file: bytes !== undefined ? { bytes, name, mimeType: mediaType } : { uri, name, mimeType: mediaType }, ...known };
};
const fromPart = (part) => {
  switch (part.kind) {
    case "text": return tidy({ text: part.text, metadata: part.metadata });
    case "data": return { data: part.data, ...tidy({ metadata: part.metadata }) };
    case "file": return tidy({ bytes: part.file.bytes, uri: part.file.uri, name: part.file.name, mediaType: part.file.mimeType, metadata: part.metadata });
    default: throw new PeerError({ type: "unknown part", message: JSON.stringify(part) });
  }
};

const fromMessage = (message) => tidy({ kind: "message", role: message.role, contextId: message.contextId, parts: message.parts.map(fromPart), metadata: message.metadata });
const fromResult = (value) => {
  switch (value.kind) {
    case "message": return fromMessage(value);
    case "task": return tidy({
      kind: "task", id: value.id, contextId: value.contextId, state: value.status.state, metadata: value.metadata,
      text: textOf(value.status.message?.parts), history: (value.history ?? []).map(fromMessage),
      artifacts: (value.artifacts ?? []).map((artifact) => tidy({ id: artifact.artifactId, name: artifact.name, parts: artifact.parts.map(fromPart) })),
    });
    case "status-update": return tidy({
      kind: "status", taskId: value.taskId, contextId: value.contextId, state: value.status.state,
      text: textOf(value.status.message?.parts), final: value.final,
    });
    case "artifact-update": return tidy({
      kind: "artifact", taskId: value.taskId, contextId: value.contextId, id: value.artifact.artifactId, name: value.artifact.name,
      parts: value.artifact.parts.map(fromPart), append: value.append ?? false, last: value.lastChunk ?? false,
    });
    default: throw new PeerError({ type: "unknown kind", message: JSON.stringify(value) });
  }
};

const fromCard = (card) => ({
  name: card.name, description: card.description, skills: card.skills.map(({ id }) => id), url: card.url, protocolVersion: card.protocolVersion,
  streaming: card.capabilities.streaming ?? false, extended: card.supportsAuthenticatedExtendedCard ?? false,
});

/**
 * @param {string} url where the agent is said to be; everything else is in its card
 * @param {{ authorization?: string, transport?: "JSONRPC" | "HTTP+JSON" }} [options]
 */
export async function connectJs03(url, { authorization, transport = "JSONRPC" } = {}) {
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
    message: {
      kind: "message", role: "user", messageId: crypto.randomUUID(),
      parts: (parts ?? [{ text }]).map(toPart), ...tidy({ taskId, contextId, metadata }),
    },
    configuration: tidy({ blocking, historyLength }),
  });
  const attempt = async (work, read = fromResult) => {
    try {
      return read(await work());
    } catch (error) {
      throw error instanceof PeerError ? error : peerError(error);
    }
  };
  async function* events(start) {
    const leaving = new AbortController();
    try {
      for await (const event of start(leaving.signal)) yield fromResult(event);
    } catch (error) {
      throw error instanceof PeerError ? error : peerError(error);
    } finally {
      leaving.abort();
    }
  }

  return {
    version: "0.3",
    binding: transport,
    card: fromCard(card),
    send: (message, config) => attempt(() => client.sendMessage(params(message, config), options(config))),
    stream: (message, config) => events((signal) => client.sendMessageStream(params(message, config), options({ ...config, signal }))),
    get: (id, { historyLength } = {}) => attempt(() => client.getTask(tidy({ id, historyLength }), options())),
    list: (filter) => attempt(() => client.listTasks(filter, options())), // there is none: the TypeError is the peer's answer
    cancel: (id) => attempt(() => client.cancelTask({ id }, options())),
    resubscribe: (id) => events((signal) => client.resubscribeTask({ id }, options({ signal }))),
    extendedCard: () => attempt(() => client.getAgentCard(), fromCard),
    async close() {},
  };
}
