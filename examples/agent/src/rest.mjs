// HTTP+JSON over fetch. The SDK's REST handler is tied to Express, so this is the v1.0 route table over its request handler.
import {
  A2A_CONTENT_TYPE, AgentCard, ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse,
  SendMessageRequest, SendMessageResponse, StreamResponse, Task, TaskPushNotificationConfig, formatSSEErrorEvent, formatSSEEvent,
} from "@a2a-js/sdk";
import { RequestMalformedError, restStatusFor, toRestErrorBody } from "@a2a-js/sdk/errors";
import { callContext, eventStream, json } from "./http.mjs";

/**
 * @typedef {object} Call
 * @property {import("@a2a-js/sdk/server").A2ARequestHandler} handler
 * @property {import("@a2a-js/sdk/server").ServerCallContext} context
 * @property {string} id the task of the path
 * @property {string} config the push notification config of the path
 * @property {URLSearchParams} query
 * @property {() => Promise<Record<string, unknown>>} body
 */

/** [method, path, what it answers]; a generator answers with a stream of StreamResponse. */
const ROUTES = [
  ["POST", /^\/message:send$/, async ({ handler, context, body }) => {
    const result = await handler.sendMessage(SendMessageRequest.fromJSON(await body()), context);
    const payload = "messageId" in result ? { $case: "message", value: result } : { $case: "task", value: result };
    return SendMessageResponse.toJSON({ payload });
  }],
  ["POST", /^\/message:stream$/, async ({ handler, context, body }) =>
    handler.sendMessageStream(SendMessageRequest.fromJSON(await body()), context)],
  ["GET", /^\/tasks$/, async ({ handler, context, query }) =>
    ListTasksResponse.toJSON(await handler.listTasks(ListTasksRequest.fromJSON({
      ...Object.fromEntries(query), includeArtifacts: query.get("includeArtifacts") === "true",
    }), context))],
  ["GET", /^\/tasks\/(?<id>[^/]+):subscribe$/, async ({ handler, context, id }) => handler.resubscribe({ id, tenant: "" }, context)],
  ["POST", /^\/tasks\/(?<id>[^/]+):subscribe$/, async ({ handler, context, id }) => handler.resubscribe({ id, tenant: "" }, context)],
  ["POST", /^\/tasks\/(?<id>[^/]+):cancel$/, async ({ handler, context, id }) =>
    Task.toJSON(await handler.cancelTask({ id, tenant: "", metadata: undefined }, context))],
  ["GET", /^\/tasks\/(?<id>[^/]+)$/, async ({ handler, context, id, query }) =>
    Task.toJSON(await handler.getTask({ id, tenant: "", historyLength: historyLength(query) }, context))],
  ["POST", /^\/tasks\/(?<id>[^/]+)\/pushNotificationConfigs$/, async ({ handler, context, id, body }) =>
    TaskPushNotificationConfig.toJSON(await handler.createTaskPushNotificationConfig(
      TaskPushNotificationConfig.fromJSON({ ...(await body()), taskId: id }), context))],
  ["GET", /^\/tasks\/(?<id>[^/]+)\/pushNotificationConfigs$/, async ({ handler, context, id }) =>
    ListTaskPushNotificationConfigsResponse.toJSON(await handler.listTaskPushNotificationConfigs(
      { taskId: id, tenant: "", pageSize: 0, pageToken: "" }, context))],
  ["GET", /^\/tasks\/(?<id>[^/]+)\/pushNotificationConfigs\/(?<config>[^/]+)$/, async ({ handler, context, id, config }) =>
    TaskPushNotificationConfig.toJSON(await handler.getTaskPushNotificationConfig({ taskId: id, id: config, tenant: "" }, context))],
  ["DELETE", /^\/tasks\/(?<id>[^/]+)\/pushNotificationConfigs\/(?<config>[^/]+)$/, async ({ handler, context, id, config }) => {
    await handler.deleteTaskPushNotificationConfig({ taskId: id, id: config, tenant: "" }, context);
    return {};
  }],
  ["GET", /^\/extendedAgentCard$/, async ({ handler, context }) =>
    AgentCard.toJSON(await handler.getAuthenticatedExtendedAgentCard({ tenant: "" }, context))],
];

function historyLength(query) {
  const value = query.get("historyLength");
  if (value === null) return undefined;
  if (!/^\d+$/.test(value)) throw new RequestMalformedError("historyLength must be a non-negative integer");
  return Number(value);
}

/**
 * Answers one HTTP+JSON request.
 * @param {import("@a2a-js/sdk/server").A2ARequestHandler} handler
 * @param {Request} request
 * @param {string} path what follows the interface's URL
 * @returns {Promise<Response>}
 */
export async function handleRest(handler, request, path) {
  const failure = (error, status) => toRestErrorBody(error, status);
  const answer = (error, status = restStatusFor(error)) => json(failure(error, status), { status });
  const matching = ROUTES.map(([method, pattern, run]) => ({ method, groups: pattern.exec(path), run })).filter((route) => route.groups);
  if (matching.length === 0) return answer(new RequestMalformedError(`No such route: ${path}`), 404);
  const route = matching.find(({ method }) => method === request.method);
  if (!route) return answer(new RequestMalformedError(`${request.method} is not allowed on ${path}`), 405);
  const body = async () => {
    try {
      return await request.json();
    } catch {
      throw new RequestMalformedError("Invalid JSON payload.");
    }
  };
  try {
    const context = callContext(request, await handler.getAgentCard(), "HTTP+JSON");
    const { id = "", config = "" } = route.groups.groups ?? {};
    const result = await route.run({
      handler, context, body, id: decodeURIComponent(id), config: decodeURIComponent(config), query: new URL(request.url).searchParams,
    });
    if (!(Symbol.asyncIterator in result)) return json(result, { type: A2A_CONTENT_TYPE, context });
    return await eventStream(
      result,
      (event) => formatSSEEvent(StreamResponse.toJSON(event)),
      (error) => formatSSEErrorEvent(failure(error, restStatusFor(error))),
      context,
    );
  } catch (error) {
    return answer(error);
  }
}
