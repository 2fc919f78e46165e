// Signed cards, with the SDK on the other side: what we sign it verifies, what it signed we verify.
import assert from "node:assert/strict";
import { test } from "node:test";
import { generateAgentCardSignature, verifyAgentCardSignature } from "@a2a-js/sdk";
import { exportJWK, generateKeyPair } from "jose";
import { rawCard, startRawAgent } from "../peers/raw-agent.mjs";
import { CARD_PATHS, LIMIT, gateway, started } from "./stage.mjs";
import { request } from "./wire.mjs";

const V1 = { headers: { "a2a-version": "1.0" } };

/** A key pair as JWKs, and the keys. */
async function keys(algorithm, kid) {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true, ...(algorithm === "EdDSA" ? { crv: "Ed25519" } : {}) });
  return { privateKey, publicKey, secret: { ...(await exportJWK(privateKey)), kid }, jwks: { keys: [{ ...(await exportJWK(publicKey)), kid, alg: algorithm }] } };
}

for (const algorithm of ["ES256", "EdDSA"]) {
  test(`the SDK verifies a card that the gateway signed with ${algorithm}`, LIMIT, async () => {
    const { secret, publicKey } = await keys(algorithm, "gateway-key");
    const agent = started(await startRawAgent({ version: "0.3" }));
    const { url } = await gateway({ UPSTREAM_URL: agent.url }, { SIGNING_JWK: JSON.stringify(secret) });
    const card = await (await fetch(`${url}${CARD_PATHS[0]}`, V1)).json();
    assert.equal(card.signatures.length, 1);
    await verifyAgentCardSignature((kid) => (assert.equal(kid, "gateway-key"), publicKey))(card);
    await assert.rejects(verifyAgentCardSignature(() => publicKey)({ ...card, name: "another" }));
    const asked = fetch(`${url}/jsonrpc`, request("1.0", "extendedCard"));
    (await agent.call()).json({ result: rawCard("0.3", `${agent.url}/rpc`) });
    const extended = (await (await asked).json()).result;
    await verifyAgentCardSignature(() => publicKey)(extended);
    const hybrid = await (await fetch(`${url}${CARD_PATHS[0]}`)).json();
    assert.ok(!("signatures" in hybrid), "a hybrid card is none that a signature could fit");
  });

  test(`the gateway trusts a card that the SDK signed with ${algorithm}, and no other`, LIMIT, async () => {
    const { privateKey, jwks } = await keys(algorithm, "agent-key");
    let card;
    const agent = started(await startRawAgent({ card: () => card }));
    const bare = rawCard("1.0", `${agent.url}/rpc`);
    const sign = generateAgentCardSignature(privateKey, { alg: algorithm, kid: "agent-key", typ: "JOSE" });
    const { signatures } = await sign(bare);
    const open = async () => {
      const { url } = await gateway({ UPSTREAM_URL: agent.url, TRUSTED_JWKS: JSON.stringify(jwks) });
      return fetch(`${url}${CARD_PATHS[0]}`, V1);
    };
    card = { ...bare, signatures };
    const trusted = await open();
    assert.equal(trusted.status, 200);
    assert.ok(!("signatures" in (await trusted.json())), "the gateway's URLs are not what the agent signed");
    assert.match(trusted.headers.get("a2a-compat-notices"), /card_signatures_stripped/);
    for (const [untrusted, why] of [
      [bare, /no signature/],
      [{ ...card, name: "another" }, /does not match/],
      [{ ...card, signatures: [{ ...signatures[0], protected: Buffer.from(JSON.stringify({ alg: algorithm, kid: "foreign" })).toString("base64url") }] }, /TRUSTED_JWKS/],
    ]) {
      card = untrusted;
      const refused = await open();
      assert.equal(refused.status, 502);
      assert.match((await refused.json()).error.message, why);
    }
  });
}
