// The Worker in workerd, as the test suites start it: production's configuration with other variables on top.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./process.mjs";
import { buildWasm } from "./setup.mjs";
import { startWorkerd } from "./workerd.mjs";
import { startWranglerDev } from "./wrangler.mjs";

const SAMPLE_AGENT = { name: "a2a-compat-sample-agent", config: join(ROOT, "examples/agent/wrangler.toml") };
const RUNS = join(ROOT, ".cache/run");

/**
 * A Worker that runs, its URL without a trailing slash, and what it and workerd wrote: `logs` is raw, `records()` are
 * the lines of JSON that the Worker logged, parsed.
 * @typedef {import("./process.mjs").Service & { url: string, records: () => Record<string, unknown>[] }} RunningWorker
 */

/**
 * The gateway on a free port of 127.0.0.1. Alone it runs in workerd itself; with the sample agent in `wrangler dev`, as
 * `npm start` runs both.
 * @param {object} [options]
 * @param {Record<string, string>} [options.vars] variables, e.g. `UPSTREAM_URL`
 * @param {Record<string, string>} [options.secrets] secrets, as .dev.vars sets them
 * @param {boolean} [options.agentBinding] whether `AGENT` is bound to the sample agent, started with it
 * @param {boolean} [options.testHooks] whether it is the build with the cargo feature `test-hooks`
 * @returns {Promise<RunningWorker>}
 */
export async function startGateway({ vars = {}, secrets = {}, agentBinding = false, testHooks = false } = {}) {
  if (process.env.A2A_COMPAT_BUILT !== "1") await buildWasm(testHooks ? "test" : "worker");
  const build = join(ROOT, testHooks ? "build/test" : "build");
  const service = await (agentBinding ? startWithSampleAgent(build, vars, secrets) : startWorkerd({ build, bindings: { ...vars, ...secrets } }));
  return { ...service, records: () => records(service.logs) };
}

/**
 * It runs on a copy of js/ and build/, so that editing or building meanwhile does not reload it.
 * @param {string} build
 * @param {Record<string, string>} vars
 * @param {Record<string, string>} secrets
 */
async function startWithSampleAgent(build, vars, secrets) {
  await mkdir(RUNS, { recursive: true });
  const folder = await mkdtemp(join(RUNS, "wrangler-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await cp(join(ROOT, "js"), join(folder, "js"), { recursive: true, filter: (path) => path !== join(ROOT, "js/dev") });
    await cp(build, join(folder, "build"), { recursive: true, filter: (path) => path !== join(build, "test") });
    const [production] = (await readFile(join(ROOT, "wrangler.toml"), "utf8")).split(/^\[env\./m, 1);
    await writeFile(join(folder, "wrangler.toml"), `${production}\n${environment(vars)}`);
    await writeFile(join(folder, ".dev.vars"), dotenv(secrets));
    const configs = ["-c", join(folder, "wrangler.toml"), "-c", SAMPLE_AGENT.config];
    const service = await startWranglerDev([...configs, "--env", "dev", "--ip", "127.0.0.1", "--port", "0"]);
    const stop = async () => {
      await service.stop();
      await remove();
    };
    return { ...service, stop };
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
 * wrangler's environment `dev`, in TOML: the name is one that the sample agent's configuration has, too.
 * @param {Record<string, string>} vars
 */
function environment(vars) {
  return `[env.dev]
build = { command = "" }

[env.dev.vars]
${assignments(vars)}
[[env.dev.services]]
binding = "AGENT"
service = "${SAMPLE_AGENT.name}"
`;
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
