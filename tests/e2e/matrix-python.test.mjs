// The scenarios through the gateway with Python's a2a-sdk on one side: each of its clients and agents, of both versions and
// over both bindings, with peers that differ in version, in binding, or in both.
import { testPairs } from "./matrix.mjs";

/** Client's SDK and binding, agent's SDK and binding. */
const PAIRS = [
  ["py-03", "JSONRPC", "js-1", "JSONRPC"],
  ["py-03", "JSONRPC", "js-1", "HTTP+JSON"],
  ["py-03", "HTTP+JSON", "js-1", "HTTP+JSON"],
  ["py-03", "HTTP+JSON", "js-03", "JSONRPC"],
  ["py-1", "JSONRPC", "js-03", "JSONRPC"],
  ["py-1", "HTTP+JSON", "js-03", "HTTP+JSON"],
  ["py-1", "HTTP+JSON", "js-1", "JSONRPC"],
  ["js-03", "JSONRPC", "py-1", "JSONRPC"],
  ["js-03", "HTTP+JSON", "py-1", "HTTP+JSON"],
  ["js-1", "JSONRPC", "py-1", "HTTP+JSON"],
  ["js-1", "JSONRPC", "py-03", "JSONRPC"],
  ["js-1", "HTTP+JSON", "py-03", "HTTP+JSON"],
  ["js-03", "JSONRPC", "py-03", "HTTP+JSON"],
  ["py-03", "HTTP+JSON", "py-1", "HTTP+JSON"],
];

testPairs("Python a2a-sdk through the gateway", PAIRS.map(([client, clientBinding, agent, agentBinding]) => ({
  client: { sdk: client, binding: clientBinding }, agent: { sdk: agent, binding: agentBinding },
})));
