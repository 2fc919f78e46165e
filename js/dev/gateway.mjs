// The Worker in workerd, as the test suites start it: production's configuration with other variables on top.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./process.mjs";
import { buildWasm } from "./setup.mjs";
import { startWranglerDev } from "./wrangler.mjs";

const SAMPLE_AGENT = { name: "a2a-compat-sample-agent", config: join(ROOT, "examples/agent/wrangler.toml") };
const RUNS = join(ROOT, ".cache/run");

/**
 * A Worker that runs, its URL without a trailing slash, and what it and workerd wrote: `logs` is raw, `records()` are
 * the lines of JSON that the Worker logged, parsed.
 * @typedef {import("./process.mjs").Service & { url: string, records: () => Record<string, unknown>[] }} RunningWorker
 */

/**
 * The gateway on a free port of 127.0.0.1, in `wrangler dev`.
 * It runs on a copy of js/ and build/, so that editing or building meanwhile does not reload it.
 * @param {object} [options]
 * @param {Record<string, string>} [options.vars] variables, e.g. `UPSTREAM_URL`
 * @param {Record<string, string>} [options.secrets] secrets, as .dev.vars sets them
 * @param {boolean} [options.agentBinding] whether `AGENT` is bound to the sample agent, started with it
 * @param {boolean} [options.testHooks] whether it is the build with the cargo feature `test-hooks`
 * @returns {Promise<RunningWorker>}
 */
export async function startGateway({ vars = {}, secrets = {}, agentBinding = false, testHooks = false } = {}) {
  if (process.env.A2A_COMPAT_BUILT !== "1") await buildWasm(testHooks ? "test" : "worker");
  await mkdir(RUNS, { recursive: true });
  const folder = await mkdtemp(join(RUNS, "gateway-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await cp(join(ROOT, "js"), join(folder, "js"), { recursive: true, filter: (path) => path !== join(ROOT, "js/dev") });
    await cp(join(ROOT, testHooks ? "build/test" : "build"), join(folder, "build"), {
      recursive: true,
      filter: (path) => path !== join(ROOT, "build/test") || testHooks,
    });
    const [production] = (await readFile(join(ROOT, "wrangler.toml"), "utf8")).split(/^\[env\./m, 1);
    await writeFile(join(folder, "wrangler.toml"), `${production}\n${environment(vars, agentBinding)}`);
    await writeFile(join(folder, ".dev.vars"), dotenv(secrets));
    const configs = ["-c", join(folder, "wrangler.toml"), ...(agentBinding ? ["-c", SAMPLE_AGENT.config] : [])];
    const service = await startWranglerDev([...configs, "--env", "dev", "--ip", "127.0.0.1", "--port", "0"]);
    const stop = async () => {
      await service.stop();
      await remove();
    };
    return { ...service, stop, records: () => records(service.logs) };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * The sample agent by itself on a free port of 127.0.0.1.
 * @returns {Promise<RunningWorker>}
 */
export async function startSampleAgent() {
  const service = await startWranglerDev(["-c", SAMPLE_AGENT.config, "--env", "dev", "--ip", "127.0.0.1", "--port", "0"]);
  return { ...service, records: () => records(service.logs) };
}

/** The JSON objects in lines that wrangler may have put the Worker's name or a sign in front of. @param {string[]} lines */
function records(lines) {
  return lines.flatMap((line) => {
    const json = /^(?:\[[\w-]+\] |\S \[[A-Z]+\] )?(\{.*\})$/.exec(line)?.[1];
    try {
      return json === undefined ? [] : [/** @type {Record<string, unknown>} */ (JSON.parse(json))];
    } catch {
      return [];
    }
  });
}

/**
 * wrangler's environment `dev`, in TOML. It has the name that the sample agent's configuration has one under, too.
 * @param {Record<string, string>} vars
 * @param {boolean} agentBinding
 */
function environment(vars, agentBinding) {
  const lines = ["[env.dev]", 'build = { command = "" }', "", "[env.dev.vars]", assignments(vars)];
  if (agentBinding) lines.push("[[env.dev.services]]", 'binding = "AGENT"', `service = "${SAMPLE_AGENT.name}"`);
  return `${lines.join("\n")}\n`;
}

/** One `NAME = "value"` a line: a JSON string is a TOML string. @param {Record<string, string>} values */
function assignments(values) {
  return Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`).join("");
}

/**
 * .dev.vars has no escapes, but three quotes to choose from.
 * @param {Record<string, string>} values
 */
function dotenv(values) {
  return Object.entries(values)
    .map(([name, value]) => {
      const quote = ["'", "`", '"'].find((candidate) => !value.includes(candidate));
      if (quote === undefined) throw new Error(`${name} contains every kind of quote, which .dev.vars cannot express`);
      return `${name}=${quote}${value}${quote}\n`;
    })
    .join("");
}
