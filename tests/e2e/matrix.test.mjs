// The scenarios through the gateway in workerd, with real clients and agents of different versions at its sides.
import { after, test } from "node:test";
import { startGateway } from "../../js/dev/lib.mjs";
import { AGENTS } from "../peers/agents.mjs";
import { CLIENTS } from "../peers/clients.mjs";
import { report, runPair } from "./matrix.mjs";

const through = (agentUrl) => startGateway({ vars: { UPSTREAM_URL: agentUrl } });

const PAIRS = [
  ["js-03", "js-1"],
  ["js-1", "js-03"],
  ["py-03", "js-1"],
  ["py-1", "js-03"],
  ["js-03", "py-1"],
  ["js-1", "py-03"],
];

for (const [client, agent] of PAIRS) {
  const title = `${CLIENTS[client].title} → gateway → ${AGENTS[agent].title}`;
  test(title, (t) => runPair(t, { client, agent, between: through, title, baseline: false }));
}

after(() => console.log(report("Peers of different versions, through the gateway")));
