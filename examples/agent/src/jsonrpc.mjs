// JSON-RPC over fetch: the SDK's transport handler does the work, this is the HTTP around it.
import { formatSSEErrorEvent, formatSSEEvent } from "@a2a-js/sdk";
import { JsonRpcTransportHandler } from "@a2a-js/sdk/server";
import { callContext, eventStream, json } from "./http.mjs";

/**
 * Answers one JSON-RPC request.
 * @param {import("@a2a-js/sdk/server").A2ARequestHandler} handler
 * @param {Request} request
 * @returns {Promise<Response>}
 */
export async function handleJsonRpc(handler, request) {
  let body;
  try {
    body = await request.json();
  } catch {
    return json({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Invalid JSON payload." } });
  }
  const failure = (error) => ({ jsonrpc: "2.0", id: body?.id ?? null, error: JsonRpcTransportHandler.mapToJSONRPCError(error) });
  try {
    const context = callContext(request, await handler.getAgentCard(), "JSONRPC");
    const answer = await new JsonRpcTransportHandler(handler).handle(body, context);
    if (!(Symbol.asyncIterator in answer)) return json(answer, { context });
    return await eventStream(answer, formatSSEEvent, (error) => formatSSEErrorEvent(failure(error)), context);
  } catch (error) {
    return json(failure(error));
  }
}
