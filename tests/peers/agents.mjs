// Starts test agents, each in a process of its own: what the SDKs log goes to a buffer instead of the test's output.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { AgentControl } from "./control.mjs";
import { venv } from "./python.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** @typedef {"JSONRPC" | "HTTP+JSON"} Binding */

/** What can be started: which version it speaks and how it is run. */
export const AGENTS = {
  "js-1": { title: "@a2a-js/sdk 1.3.0 agent", version: "1.0", command: () => [process.execPath, here("js-agent-1.mjs")] },
  "js-03": { title: "@a2a-js/sdk 0.3.14 agent", version: "0.3", command: () => [process.execPath, here("js-agent-03.mjs")] },
  "py-1": { title: "Python a2a-sdk 1.3 agent", version: "1.0", command: () => [venv("1").python, here("py_agent_1.py")] },
  "py-03": { title: "Python a2a-sdk 0.3 agent", version: "0.3", command: () => [venv("03").python, here("py_agent_03.py")] },
};

/**
 * Starts `program` and waits for the URL that it prints first.
 * @param {string[]} command
 * @param {Binding} [binding]
 */
async function startProgram([program, ...args], binding) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, PYTHONUNBUFFERED: "1", BINDING: binding ?? "" } });
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill); // a test that ends badly must not leave it behind
  const log = [];
  child.stderr.setEncoding("utf8").on("data", (text) => log.push(text));
  const exited = once(child, "exit").then(([code, signal]) => ({ code: code ?? signal }));
  const line = once(createInterface({ input: child.stdout }), "line").then(([url]) => ({ url }));
  const { url, code } = await Promise.race([line, exited]);
  if (url === undefined) throw new Error(`${args.join(" ")} ended with ${code} before it was ready:\n${log.join("")}`);
  return {
    url,
    log: () => log.join(""),
    async stop() {
      kill();
      await exited;
      process.off("exit", kill);
    },
  };
}

/**
 * @param {keyof typeof AGENTS} kind
 * @param {Binding} [binding] the only one that its card offers; by default both
 * @returns {Promise<{ kind: string, version: string, binding?: Binding, url: string, control: AgentControl, log: () => string, stop: () => Promise<void> }>}
 */
export async function startAgent(kind, binding) {
  const agent = await startProgram(AGENTS[kind].command(), binding);
  return { kind, version: AGENTS[kind].version, binding, ...agent, control: new AgentControl(agent.url) };
}
