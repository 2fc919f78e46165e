// Agents and clients that stop in the middle of a body: nothing waits for them without limit.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { rawCard } from "../peers/raw-agent.mjs";
import { CARD_PATHS, LIMIT, codeOf, gateway, started } from "./stage.mjs";
import { request } from "./wire.mjs";

/** An agent that begins each answer below `path` and never ends it. */
async function stalling(path) {
  const server = createServer((incoming, response) => {
    const card = incoming.url.endsWith("agent-card.json");
    response.setHeader("content-type", "application/json");
    if (incoming.url.startsWith(path)) response.write("{");
    else response.end(JSON.stringify(card ? rawCard("1.0", "/rpc") : {}));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  started({ stop: () => (server.closeAllConnections(), server.close()) });
  return `http://127.0.0.1:${server.address().port}`;
}

test("a card that does not come whole is an error", LIMIT, async () => {
  const { url } = await gateway({ UPSTREAM_URL: await stalling("/.well-known"), UPSTREAM_TIMEOUT_SECONDS: "1" });
  const response = await fetch(`${url}${CARD_PATHS[0]}`, { headers: { "a2a-version": "1.0" } });
  assert.equal(response.status, 504);
  assert.match((await response.json()).error.message, /whole in time/);
});

test("an answer that does not come whole is an error", LIMIT, async () => {
  const { url } = await gateway({ UPSTREAM_URL: await stalling("/rpc"), UPSTREAM_TIMEOUT_SECONDS: "1" });
  const response = await fetch(`${url}/jsonrpc`, request("0.3", "get"));
  assert.equal(response.status, 504);
  assert.equal(await codeOf(response), -32603);
});
