// The scenarios through the gateway in workerd: clients of both versions and bindings by agents of both, sixteen pairs.
import { testPairs } from "./matrix.mjs";

const PEERS = ["js-03", "js-1"].flatMap((sdk) => ["JSONRPC", "HTTP+JSON"].map((binding) => ({ sdk, binding })));

testPairs(
  "@a2a-js/sdk of both versions over both bindings, through the gateway",
  PEERS.flatMap((client) => PEERS.map((agent) => ({ client, agent }))),
);
