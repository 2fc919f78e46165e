// What a peer cannot do even with a peer of its own version and SDK. Each limit is proved by the baseline, which fails
// when the peer does better or worse than said here. Through the gateway such a cell shows the peer's own error, unless
// the gateway mends it.

/**
 * @typedef {object} Limit
 * @property {string} scenario
 * @property {string} [client] the client whose limit it is
 * @property {string} [agent] or the agent
 * @property {RegExp} error what it fails with
 * @property {string} why
 */

/** @type {Limit[]} */
export const LIMITS = [
  {
    scenario: "gets a task with its whole history", agent: "js-03", error: /^0 messages/,
    why: "it sends no history when historyLength is absent",
  },
  {
    scenario: "is refused without a required extension", agent: "js-03", error: /Missing expected rejection/,
    why: "v0.3 has no such refusal",
  },
  {
    scenario: "sends a data part that is null and gets it back", client: "js-1", error: /read a part without content/,
    why: "it reads {\"data\":null} as an empty part",
  },
];

/**
 * The limits that apply to a pair.
 * @param {string} scenario
 * @param {string} client
 * @param {string} agent
 */
export function limitsOf(scenario, client, agent) {
  return LIMITS.filter((limit) => limit.scenario === scenario && (limit.client ?? client) === client && (limit.agent ?? agent) === agent);
}
