// What the JSON-RPC and the REST endpoint share: the call context, JSON and event-stream responses.
import { A2A_VERSION_HEADER, Extensions, HTTP_EXTENSION_HEADER, SSE_HEADERS } from "@a2a-js/sdk";
import { UnauthenticatedUser, defaultServerCallContextBuilder, validateVersion } from "@a2a-js/sdk/server";

/**
 * The SDK's context of one call. Throws VersionNotSupportedError if the request's version is not offered on `binding`.
 * @param {Request} request
 * @param {import("@a2a-js/sdk").AgentCard} card
 * @param {"JSONRPC" | "HTTP+JSON"} binding
 */
export function callContext(request, card, binding) {
  const context = defaultServerCallContextBuilder({
    extensions: Extensions.parseServiceParameter(request.headers.get(HTTP_EXTENSION_HEADER) ?? undefined),
    user: new UnauthenticatedUser(),
    headers: Object.fromEntries(request.headers),
    requestedVersion: request.headers.get(A2A_VERSION_HEADER) ?? undefined,
  });
  validateVersion(context.requestedVersion, card, binding);
  return context;
}

function extensionHeaders(context) {
  const active = [...(context?.activatedExtensions ?? [])];
  return active.length > 0 ? { [HTTP_EXTENSION_HEADER]: Extensions.toServiceParameter(active) } : {};
}

/**
 * @param {unknown} body
 * @param {{ status?: number, type?: string, context?: import("@a2a-js/sdk/server").ServerCallContext }} [options]
 */
export function json(body, { status = 200, type = "application/json", context } = {}) {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": type, ...extensionHeaders(context) } });
}

/**
 * A stream of the SDK's as a response: the first event is awaited, so that an early error (which `stream` throws) can
 * still be a plain answer; the others are produced when the reader wants them; a reader that leaves ends the stream.
 * @template T
 * @param {AsyncGenerator<T, void, undefined>} stream
 * @param {(event: T) => string} format an event as SSE text
 * @param {(error: unknown) => string} formatError an error as SSE text; it ends the stream
 * @param {import("@a2a-js/sdk/server").ServerCallContext} context
 */
export async function eventStream(stream, format, formatError, context) {
  const encoder = new TextEncoder();
  let pending = await stream.next();
  const body = new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = pending ?? (await stream.next());
        pending = undefined;
        if (done) controller.close();
        else controller.enqueue(encoder.encode(format(value)));
      } catch (error) {
        controller.enqueue(encoder.encode(formatError(error)));
        controller.close();
      }
    },
    async cancel() {
      await stream.return();
    },
  }, { highWaterMark: 0 });
  const { Connection: _hopByHop, ...headers } = SSE_HEADERS;
  return new Response(body, { headers: { ...headers, ...extensionHeaders(context) } });
}
