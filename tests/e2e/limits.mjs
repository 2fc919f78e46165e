// What a peer cannot do even with a peer of its own version and SDK. Each limit is proved by the baseline, which fails
// when the peer does better or worse than said here. Through the gateway such a cell shows the peer's own error, unless
// the gateway mends it.
import { AGENTS } from "../peers/agents.mjs";
import { CLIENTS } from "../peers/clients.mjs";

/**
 * @typedef {object} Limit
 * @property {string} scenario
 * @property {string} [client] the client whose limit it is
 * @property {string} [agent] or the agent
 * @property {"JSONRPC" | "HTTP+JSON"} [binding] the peer's; by default it is the same over both
 * @property {RegExp} error what it fails with
 * @property {string} why
 * @property {boolean} [mended] the gateway must do better than the peer between versions: the limit holds within one
 */

const LISTS = ["lists no tasks where there are none", "lists tasks on one page", "lists tasks page by page"];

const SLASH = "reaches a task whose id has a slash and a percent sign";
const CUT = /peer closed connection|stream broke off/;

/** @type {Limit[]} */
export const LIMITS = [
  {
    scenario: "gets a task with its whole history", agent: "js-03", error: /^0 messages/,
    why: "it sends no history when historyLength is absent",
  },
  ...["js-03", "py-03"].flatMap((client) => [...LISTS].map((scenario) => ({
    scenario, client, error: /client.listTasks is not a function|no attribute 'list_tasks'/,
    why: "v0.3 has no ListTasks",
  }))),
  {
    scenario: "is told which chunks are appended and which is the last", client: "js-03", binding: "HTTP+JSON", error: /^Expected values/,
    why: "it reads no `append` over HTTP+JSON",
  },
  ...["client", "agent"].flatMap((side) => [
    {
      scenario: "sends and gets the names of files", [side]: "js-03", binding: "HTTP+JSON", error: /^Expected values/,
      why: "it has no names of files over HTTP+JSON",
    },
    ...["sends data parts of every JSON type and gets them back", "sends a data part that is null and gets it back"].map((scenario) => ({
      scenario, [side]: "js-03", binding: "HTTP+JSON", error: /^Expected values .*\bdata_part_compat: true|^Expected values .*\+ value: /,
      why: "it has no metadata of parts over HTTP+JSON, which says that a value was wrapped",
    })),
  ]),
  ...["resubscribes to an unknown task", "is told so before a stream, too"].map((scenario) => ({
    scenario, agent: "js-03", binding: "HTTP+JSON", error: /Bug: toJson serializer/,
    why: "it fails when it writes the error",
  })),
  {
    scenario: "resubscribes to a finished task", agent: "py-03", binding: "HTTP+JSON", error: CUT, mended: true,
    why: "it breaks the connection instead",
  },
  ...["resubscribes to an unknown task", "is told so before a stream, too"].map((scenario) => ({
    scenario, agent: "py-03", binding: "HTTP+JSON", error: CUT,
    why: "it breaks the connection instead of an error",
  })),
  {
    scenario: "resubscribes to an unknown task", client: "py-03", binding: "HTTP+JSON", error: /Invalid SSE response/,
    why: "it does not look at the status of a resubscription",
  },
  {
    scenario: SLASH, client: "py-1", binding: "HTTP+JSON", error: /^MethodNotFoundError/,
    why: "it does not encode ids in paths",
  },
  {
    scenario: SLASH, client: "py-03", binding: "HTTP+JSON", error: /404/,
    why: "it does not encode ids in paths",
  },
  ...["py-1", "py-03"].map((agent) => ({
    scenario: SLASH, agent, binding: "HTTP+JSON", error: /^TaskNotFoundError|404 Not Found$/,
    why: "its routes take an encoded slash for a slash",
  })),
  {
    scenario: "is refused without a required extension", client: "py-03", binding: "HTTP+JSON", error: /HTTP Error 400/,
    why: "it knows errors by their status alone",
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
  const isOfOneVersion = CLIENTS[client.sdk].version === AGENTS[agent.sdk].version;
  return LIMITS.filter((limit) => limit.scenario === scenario && isOf(limit) && (baseline || !limit.mended || isOfOneVersion));
}
