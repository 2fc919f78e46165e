// The answer to a request that crashed the instance or was in it: an internal error in the caller's dialect.

const CODE = -32603;
const MESSAGE = "Internal error";

/** v0.3 and v1.0 JSON-RPC. The id is in the body, which went down with the instance. */
const JSON_RPC = { jsonrpc: "2.0", id: null, error: { code: CODE, message: MESSAGE } };

/** v0.3 HTTP+JSON (RULES E.4). */
const REST_0_3 = { code: CODE, message: MESSAGE };

/** v1.0 HTTP+JSON (RULES E.5), and whatever is neither. */
const REST_1_0 = {
  error: {
    code: 500,
    status: "INTERNAL",
    message: MESSAGE,
    details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "INTERNAL_ERROR", domain: "a2a-protocol.org" }],
  },
};

/**
 * @param {Request} request
 * @returns {Response} HTTP 500
 */
export function crashResponse(request) {
  return Response.json(crashBody(request), { status: 500 });
}

/** @param {Request} request */
function crashBody(request) {
  const path = new URL(request.url).pathname.replace(/^\/agents\/[^/]+/, "");
  if (request.method === "POST" && /^\/?(jsonrpc\/?)?$/.test(path)) return JSON_RPC;
  const version = request.headers.get("A2A-Version") ?? (path.startsWith("/v1/") ? "0.3" : "1.0");
  return version.startsWith("0.") ? REST_0_3 : REST_1_0;
}
