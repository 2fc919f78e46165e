// The cards that the gateway serves, and what it makes of its agents' cards.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { rawCard, startRawAgent } from "../peers/raw-agent.mjs";
import { CARD_PATHS, LIMIT, codeOf, gateway, started, stage } from "./stage.mjs";
import { SAY, request } from "./wire.mjs";

let v10, open, exchange;
before(async () => {
  ({ v10, open, exchange } = await stage());
});

describe("cards", () => {
  test("a v0.3 reader gets a v0.3 card with the v1.0 interfaces in it, at all three paths", LIMIT, async () => {
    for (const base of ["", "/agents/v10", "/agents/v03"]) {
      for (const path of CARD_PATHS) {
        for (const headers of [{}, { "a2a-version": "0.3" }]) {
          const response = await fetch(`${open.url}${base}${path}`, { headers });
          assert.equal(response.status, 200);
          assert.match(response.headers.get("content-type"), /^application\/json/);
          assert.match(response.headers.get("vary"), /a2a-version/i);
          const card = await response.json();
          assert.equal(card.url, `${open.url}${base}/jsonrpc`);
          assert.equal(card.preferredTransport, "JSONRPC");
          assert.match(card.protocolVersion, /^0\.3/);
          assert.equal(card.supportsAuthenticatedExtendedCard, true);
          assert.equal(card.capabilities.streaming, true);
          assert.deepEqual(card.skills.map(({ id }) => id), ["raw"]);
          const offered = card.supportedInterfaces.map(({ url, protocolBinding, protocolVersion }) => `${protocolBinding}/${protocolVersion} ${url}`);
          for (const version of ["1.0", "0.3"]) assert.ok(offered.includes(`JSONRPC/${version} ${open.url}${base}/jsonrpc`), offered.join());
        }
      }
    }
  });

  test("a v1.0 reader gets a v1.0 card and nothing of v0.3", LIMIT, async () => {
    for (const base of ["", "/agents/v10", "/agents/v03"]) {
      for (const path of CARD_PATHS) {
        const card = await (await fetch(`${open.url}${base}${path}`, { headers: { "a2a-version": "1.0" } })).json();
        for (const old of ["url", "preferredTransport", "additionalInterfaces", "protocolVersion", "supportsAuthenticatedExtendedCard", "security"]) {
          assert.ok(!(old in card), old);
        }
        assert.equal(card.capabilities.extendedAgentCard, true);
        const first = card.supportedInterfaces.find(({ protocolBinding }) => protocolBinding === "JSONRPC");
        assert.deepEqual([first.url, first.protocolVersion], [`${open.url}${base}/jsonrpc`, "1.0"]);
      }
    }
  });

  test("no URL of the agent's shows in a card", LIMIT, async () => {
    for (const version of ["0.3", "1.0"]) {
      const text = await (await fetch(`${open.url}${CARD_PATHS[0]}`, { headers: { "a2a-version": version } })).text();
      assert.ok(!text.includes(new URL(v10.url).host), text);
    }
  });

  test("a reader that has the card is told that it is still good", LIMIT, async () => {
    const url = `${open.url}${CARD_PATHS[0]}`;
    const tags = [];
    for (const version of ["0.3", "1.0"]) {
      const response = await fetch(url, { headers: { "a2a-version": version } });
      assert.ok(response.headers.get("cache-control"));
      const etag = response.headers.get("etag");
      assert.match(etag, /^"/, "a strong ETag");
      tags.push(etag);
      assert.equal((await fetch(url, { headers: { "a2a-version": version, "if-none-match": etag } })).status, 304);
    }
    assert.notEqual(tags[0], tags[1]);
  });

  test("HEAD has the headers of GET and no body", LIMIT, async () => {
    const response = await fetch(`${open.url}${CARD_PATHS[0]}`, { method: "HEAD" });
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type"), /^application\/json/);
    assert.equal(await response.text(), "");
  });

  test("the agent's card is read once and then trusted", LIMIT, async () => {
    const agent = started(await startRawAgent());
    const { url } = await gateway({ UPSTREAM_URL: agent.url });
    for (let index = 0; index < 3; index++) await fetch(`${url}${CARD_PATHS[0]}`);
    assert.equal(agent.cardRequests.length, 1);
  });

  test("UPSTREAM_URL may be the card's URL", LIMIT, async () => {
    const { url } = await gateway({ UPSTREAM_URL: `${v10.url}/.well-known/agent-card.json` });
    assert.equal((await (await fetch(`${url}${CARD_PATHS[0]}`)).json()).name, "Raw agent");
  });

  test("a legacy reader is refused where no 0.3 is offered", LIMIT, async () => {
    const { url } = await gateway({ UPSTREAM_URL: v10.url, OFFER: "JSONRPC/1.0" });
    const refused = await fetch(`${url}${CARD_PATHS[0]}`);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /-32009/);
    const card = await (await fetch(`${url}${CARD_PATHS[0]}`, { headers: { "a2a-version": "1.0" } })).json();
    assert.deepEqual(card.supportedInterfaces.map(({ protocolBinding, protocolVersion }) => `${protocolBinding}/${protocolVersion}`), ["JSONRPC/1.0"]);
    const call = await fetch(`${url}/jsonrpc`, request("0.3", "get"));
    assert.equal(await codeOf(call), -32009);
  });

  test("interface URLs may be relative to the card's", LIMIT, async () => {
    const agent = started(await startRawAgent({ card: () => rawCard("1.0", "/rpc") }));
    const { url } = await gateway({ UPSTREAM_URL: agent.url });
    const { response, call } = await exchange("0.3", "get", (each) => each.json({ result: SAY["1.0"].task("working") }), { url, agent });
    assert.equal(call.path, "/rpc");
    assert.equal((await response.json()).result.id, "t");
  });

  test("an interface elsewhere is refused and not called, unless UPSTREAM_ORIGINS has it", LIMIT, async () => {
    const elsewhere = started(await startRawAgent());
    const agent = started(await startRawAgent({ card: () => rawCard("1.0", `${elsewhere.url}/rpc`) }));
    const strict = await gateway({ UPSTREAM_URL: agent.url });
    const refused = await (await fetch(strict.url, request("0.3", "get", { headers: { authorization: "Bearer secret" } }))).json();
    assert.ok(refused.error.code < 0);
    assert.equal(elsewhere.unanswered, 0);
    const lenient = await gateway({ UPSTREAM_URL: agent.url, UPSTREAM_ORIGINS: elsewhere.url });
    const { response } = await exchange("0.3", "get", (call) => call.json({ result: SAY["1.0"].task("working") }), { url: lenient.url, agent: elsewhere });
    assert.equal((await response.json()).result.id, "t");
  });

  test("an agent whose card is wrong about its version is asked in the other, and so from then on", LIMIT, async () => {
    const agent = started(await startRawAgent({ version: "1.0" })); // but it speaks 0.3
    const { url, log } = await gateway({ UPSTREAM_URL: agent.url });
    const first = fetch(url, request("1.0", "get"));
    const refused = await agent.call();
    assert.equal(refused.rpc.method, "GetTask");
    refused.json({ error: { code: -32601, message: "Method not found" } });
    const again = await agent.call();
    assert.equal(again.rpc.method, "tasks/get");
    again.json({ result: SAY["0.3"].task("working") });
    assert.equal((await (await first).json()).result.status.state, "TASK_STATE_WORKING");
    await log(/remarks/);
    const second = fetch(url, request("1.0", "get"));
    const call = await agent.call();
    assert.equal(call.rpc.method, "tasks/get");
    call.json({ result: SAY["0.3"].task("completed") });
    assert.equal((await (await second).json()).result.status.state, "TASK_STATE_COMPLETED");
  });
});
