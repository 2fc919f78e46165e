// Agents that are not what the gateway hopes for: cards stay true, or there is a clear error.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { rawCard, startRawAgent } from "../peers/raw-agent.mjs";
import { CARD_PATHS, LIMIT, codeOf, gateway, started } from "./stage.mjs";
import { request } from "./wire.mjs";

const V1 = { headers: { "a2a-version": "1.0" } };

/** What each agent's card is; `url` is the agent's. */
const CARDS = {
  plain: (url) => ({ ...rawCard("1.0", `${url}/rpc`), capabilities: {} }),
  grpc: (url) => ({ ...rawCard("1.0", url), supportedInterfaces: [{ url, protocolBinding: "GRPC", protocolVersion: "1.0" }] }),
  none: (url) => ({ ...rawCard("1.0", url), supportedInterfaces: [] }),
  future: (url) => ({ ...rawCard("1.0", url), supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "2.0" }] }),
  script: (url) => ({ ...rawCard("1.0", url), supportedInterfaces: [{ url: "javascript:alert(1)", protocolBinding: "JSONRPC", protocolVersion: "1.0" }] }),
  file: (url) => ({ ...rawCard("1.0", url), supportedInterfaces: [{ url: "file:///etc/passwd", protocolBinding: "JSONRPC", protocolVersion: "1.0" }] }),
  long: (url) => ({ ...rawCard("1.0", `${url}/rpc`), description: "x".repeat(5 * 2 ** 20) }),
  longer: (url) => ({ ...rawCard("1.0", `${url}/rpc`), description: "x".repeat(11 * 2 ** 20) }),
  list: () => [],
  text: () => "a card",
  named: (url) => ({ ...rawCard("1.0", `${url}/rpc`), name: 7 }),
};

describe("a strange card", () => {
  let base;
  before(async () => {
    const agents = {};
    for (const [name, card] of Object.entries(CARDS)) agents[name] = started(await startRawAgent({ card })).url;
    base = (await gateway({ AGENTS: JSON.stringify(agents) })).url;
  });
  const card = (name, init = V1) => fetch(`${base}/agents/${name}${CARD_PATHS[0]}`, init);
  const call = (name) => fetch(`${base}/agents/${name}/jsonrpc`, request("0.3", "get"));

  test("without capabilities promises none", LIMIT, async () => {
    for (const init of [V1, {}]) {
      const { capabilities, supportsAuthenticatedExtendedCard } = await (await card("plain", init)).json();
      for (const flag of ["streaming", "pushNotifications", "extendedAgentCard"]) assert.ok(!capabilities[flag], flag);
      assert.ok(!supportsAuthenticatedExtendedCard);
    }
  });

  for (const name of ["grpc", "none", "future", "script", "file"]) {
    test(`with no interface that can be called (${name}) is an error that says so when it is called`, LIMIT, async () => {
      const response = await call(name);
      assert.equal(response.status, 200);
      const { error } = await response.json();
      assert.equal(error.code, -32603);
      assert.match(error.message, /no interface that this gateway speaks/);
    });
  }

  test("of 5 MB is served, one over MAX_BODY_BYTES is an error", LIMIT, async () => {
    assert.equal((await (await card("long")).json()).description.length, 5 * 2 ** 20);
    const response = await card("longer");
    assert.equal(response.status, 502);
    assert.match((await response.json()).error.message, /longer than/);
    assert.equal(await codeOf(await call("longer")), -32603);
  });

  for (const name of ["list", "text", "named"]) {
    test(`that is no card (${name}) is an error that says so`, LIMIT, async () => {
      const response = await card(name);
      assert.equal(response.status, 502);
      assert.match((await response.json()).error.message, /The agent's card .* is not a card|The agent's card .* must be/);
    });
  }

  test("is an error in v0.3's shape for a v0.3 reader", LIMIT, async () => {
    const body = await (await card("list", {})).json();
    assert.equal(body.code, -32603);
    assert.equal(typeof body.message, "string");
  });
});
