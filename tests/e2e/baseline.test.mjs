// The scenarios without the gateway: peers of the same version, face to face. Proves the scenarios and the peers' limits.
import { after, test } from "node:test";
import { AGENTS } from "../peers/agents.mjs";
import { CLIENTS } from "../peers/clients.mjs";
import { report, runPair } from "./matrix.mjs";

const straight = async (url) => ({ url, stop: async () => {} });

for (const [client, agent] of [["js-03", "js-03"], ["js-1", "js-1"], ["py-03", "py-03"], ["py-1", "py-1"]]) {
  const title = `${CLIENTS[client].title} → ${AGENTS[agent].title}`;
  test(title, (t) => runPair(t, { client, agent, between: straight, title, baseline: true }));
}

after(() => console.log(report("Peers of one version, without the gateway")));
