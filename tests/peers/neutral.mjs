// One vocabulary for what clients of either version see, so that a scenario is written once. All client drivers speak it,
// the Python ones too (py_client_*.py).
//
// Results   { kind: "task", id, contextId, state, text, parts, history, artifacts, metadata }
//           { kind: "message", role, contextId, parts, metadata }
// Events    a result, or { kind: "status", taskId, contextId, state, text, final }   (final: v0.3 clients only)
//           or { kind: "artifact", taskId, contextId, id, name, parts, append, last }
// Parts     { text } | { bytes: base64, name, mediaType } | { uri, name, mediaType } | { data }, with `metadata` if any
// Errors    PeerError: the type and code that the SDK gave it
//
// A driver is { version, binding, card, send, stream, get, list, cancel, resubscribe, extendedCard, close }. `list` is ListTasks:
// { contextId, pageSize, pageToken } → { tasks, nextPageToken, pageSize, totalSize }; v0.3 SDKs have no such thing and say so.

/**
 * @typedef {{ text?: string, parts?: object[], taskId?: string, contextId?: string, metadata?: object }} Outgoing
 * @typedef {{ blocking?: boolean, historyLength?: number, extensions?: string[] }} SendOptions
 */

/** An error as the SDK of the peer typed it. */
export class PeerError extends Error {
  /** @param {{ type: string, code?: number, message: string }} error */
  constructor({ type, code, message }) {
    super(`${type}: ${message}`);
    this.name = "PeerError";
    this.type = type;
    this.code = code;
  }
}

/** Leaves out what is undefined, "" or an empty object, so that absent and empty compare equal. */
export function tidy(object) {
  return Object.fromEntries(Object.entries(object).filter(([, value]) =>
    value !== undefined && value !== "" && !(value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0)));
}

/** The texts of some parts, joined. */
export const textOf = (parts) => (parts ?? []).map((part) => part.text ?? "").join("");
