// The scenarios without the gateway: peers of the same version, face to face. Proves the scenarios and the peers' limits.
import { testPairs } from "./matrix.mjs";

const PEERS = ["js-03", "js-1", "py-03", "py-1"].flatMap((sdk) => ["JSONRPC", "HTTP+JSON"].map((binding) => ({ sdk, binding })));

const overHttp = (sdk) => ({ sdk, binding: "HTTP+JSON" });

testPairs("Peers of one version and binding, without the gateway", [
  ...PEERS.map((peer) => ({ client: peer, agent: peer })),
  // Whose limit it is. The v0.3 SDKs do not understand each other over HTTP+JSON: nothing is to be learnt from them.
  { client: overHttp("js-1"), agent: overHttp("py-1") },
  { client: overHttp("py-1"), agent: overHttp("js-1") },
], { baseline: true });
