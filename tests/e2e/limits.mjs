// What a peer cannot do even with a peer of its own version and SDK. Each limit is proved by the baseline, which fails
// when the peer does better or worse than said here. Through the gateway such a cell shows the peer's own error, unless
// the gateway mends it.

/**
 * @typedef {object} Limit
 * @property {string} scenario
 * @property {string} [client] the client whose limit it is
 * @property {string} [agent] or the agent
 * @property {"JSONRPC" | "HTTP+JSON"} [binding] the peer's; by default it is the same over both
 * @property {RegExp} error what it fails with
 * @property {string} why
 * @property {boolean} [mended] the gateway must do better than the peer: the limit holds for the baseline only
 */

/** @type {Limit[]} */
export const LIMITS = [
  {
    scenario: "gets a task with its whole history", agent: "js-03", error: /^0 messages/,
    why: "it sends no history when historyLength is absent",
  },
  ...["js-03", "py-03"].map((agent) => ({
    scenario: "is refused without a required extension", agent, error: /Missing expected rejection/,
    why: "v0.3 has no such refusal",
  })),
  {
    scenario: "resubscribes to a running task", agent: "py-03", error: /- 'task working'/, mended: true,
    why: "its stream does not begin with the task",
  },
  {
    scenario: "resubscribes to a finished task", agent: "py-03", error: /code=-32602/, mended: true,
    why: "it refuses with invalid params",
  },
  {
    scenario: "is told in its stream that the task is canceled", agent: "py-03", error: /no answer within/,
    why: "it never ends the stream of a canceled task",
  },
  {
    scenario: "sends a data part that is null and gets it back", client: "js-1", error: /read a part without content/,
    why: "it reads {\"data\":null} as an empty part",
  },
];

/**
 * The limits that apply to a pair.
 * @param {string} scenario
 * @param {{ client: import("./matrix.mjs").Peer, agent: import("./matrix.mjs").Peer, baseline: boolean }} pair
 */
export function limitsOf(scenario, { client, agent, baseline }) {
  const isOf = (limit) => {
    const peer = limit.client === undefined ? agent : client;
    return peer.sdk === (limit.client ?? limit.agent) && (limit.binding ?? peer.binding) === peer.binding;
  };
  return LIMITS.filter((limit) => limit.scenario === scenario && isOf(limit) && (baseline || !limit.mended));
}
