// The scenarios without the gateway: peers of the same version, face to face. Proves the scenarios and the peers' limits.
import { testPairs } from "./matrix.mjs";

const PEERS = ["js-03", "js-1", "py-03", "py-1"].flatMap((sdk) => ["JSONRPC", "HTTP+JSON"].map((binding) => ({ sdk, binding })));

testPairs("Peers of one version and binding, without the gateway", PEERS.map((peer) => ({ client: peer, agent: peer })), { baseline: true });
