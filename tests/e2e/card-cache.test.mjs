// How long an agent's card is trusted, and what readers get while it is fetched again.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { rawCard } from "../peers/raw-agent.mjs";
import { CARD_PATHS, LIMIT, gateway, started } from "./stage.mjs";

/** An agent that answers each request for its card with the next edition, when the test lets it. */
async function edition() {
  const waiting = [];
  let asked = 0;
  const server = createServer((_request, response) => {
    const number = ++asked;
    waiting.push(() => response.end(JSON.stringify({ ...rawCard("1.0", "/rpc"), description: `edition ${number}` })));
    server.emit("asked");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  started({ stop: () => (server.closeAllConnections(), server.close()) });
  return { url: `http://127.0.0.1:${server.address().port}`, asked: () => asked, waiting, next: () => waiting.shift()(), server };
}

const description = async (url) => (await (await fetch(`${url}${CARD_PATHS[0]}`)).json()).description;

test("a stale card is served while a new one is fetched, and then the new one", LIMIT, async () => {
  const agent = await edition();
  const { url } = await gateway({ UPSTREAM_URL: agent.url, CARD_TTL_SECONDS: "1" });
  const first = description(url);
  while (agent.asked() === 0) await once(agent.server, "asked");
  agent.next();
  assert.equal(await first, "edition 1");
  // Readers keep coming; one of them finds the card stale and does not wait for the next edition.
  while (agent.asked() < 2) assert.equal(await description(url), "edition 1");
  assert.equal(await description(url), "edition 1");
  for (const answer of agent.waiting.splice(0)) answer();
  while ((await description(url)) === "edition 1");
});

test("an agent that sends HTML instead of a card, or nothing at all, is an error that says so", LIMIT, async () => {
  const server = createServer((request, response) => {
    if (request.url.startsWith("/html")) response.setHeader("content-type", "text/html").end("<!doctype html><title>Welcome</title>");
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  started({ stop: () => (server.closeAllConnections(), server.close()) });
  const at = `http://127.0.0.1:${server.address().port}`;
  const { url } = await gateway({ AGENTS: JSON.stringify({ html: `${at}/html`, none: `${at}/none`, gone: "http://127.0.0.1:9" }) });
  for (const [name, why] of [["html", /is not a card/], ["none", /answered HTTP 404 for its card/], ["gone", /cannot be reached/]]) {
    const response = await fetch(`${url}/agents/${name}${CARD_PATHS[0]}`, { headers: { "a2a-version": "1.0" } });
    assert.equal(response.status, 502);
    assert.match((await response.json()).error.message, why);
  }
});

test("OPTIONS tells what is allowed", LIMIT, async () => {
  const { url } = await gateway({ UPSTREAM_URL: "http://127.0.0.1:9" });
  const response = await fetch(`${url}${CARD_PATHS[0]}`, { method: "OPTIONS" });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get("allow"), "GET, HEAD, OPTIONS");
});
