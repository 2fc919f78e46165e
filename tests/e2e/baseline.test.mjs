// The scenarios without the gateway: peers of the same version, face to face. Proves the scenarios and the peers' limits.
import { after, test } from "node:test";
import { AGENTS } from "../peers/agents.mjs";
import { CLIENTS } from "../peers/clients.mjs";
import { nameOf, report, runPair } from "./matrix.mjs";

const straight = async (url) => ({ url, stop: async () => {} });

for (const sdk of ["js-03", "js-1", "py-03", "py-1"]) {
  for (const binding of ["JSONRPC", "HTTP+JSON"]) {
    const peer = { sdk, binding };
    const title = `${nameOf(CLIENTS, peer)} → ${nameOf(AGENTS, peer)}`;
    test(title, (t) => runPair(t, { client: peer, agent: peer, between: straight, title, baseline: true }));
  }
}

after(() => console.log(report("Peers of one version and binding, without the gateway")));
