// Processes that are waited for and never left behind.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

/** The repository's root, with a trailing slash. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A failure whose message is all that the person in front of the terminal needs. */
export class Problem extends Error {}

/**
 * Runs a script's main function; a `Problem` ends it with its message, anything else with a stack trace.
 * @param {() => Promise<number | void>} main returns the exit code
 */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    console.error(error instanceof Problem ? error.message : error);
    process.exitCode = 1;
  }
}

/**
 * Runs a program to its end.
 * @param {string} program
 * @param {string[]} args
 * @param {{ inherit?: boolean, env?: NodeJS.ProcessEnv, cwd?: string }} [options] `inherit`: it has our terminal
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string, missing: boolean }>} `code` is null and
 *   `missing` true if there is no such program
 */
export function run(program, args, { inherit = false, env = process.env, cwd = ROOT } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: inherit ? "inherit" : ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text) => (stderr += text));
    child.on("error", (error) => {
      if ("code" in error && error.code === "ENOENT") resolve({ code: null, stdout, stderr, missing: true });
      else reject(error);
    });
    child.on("close", (code) => resolve({ code, stdout, stderr, missing: false }));
  });
}

/** The process groups that are running, so that none outlives us. @type {Set<number>} */
const groups = new Set();
process.on("exit", () => {
  for (const group of groups) signal(group, "SIGKILL");
});

/** The services that are running. @type {Set<Service>} */
const services = new Set();

/** Told to end, we end what runs before: it is not in the terminal's process group and would not hear Ctrl-C. */
function endWithServices() {
  for (const name of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.once(name, async () => {
      await Promise.all([...services].map((service) => service.stop()));
      process.exit(process.exitCode ?? 130);
    });
  }
}
let endsWithServices = false;

/**
 * @param {number} group
 * @param {NodeJS.Signals} name
 */
function signal(group, name) {
  try {
    process.kill(-group, name);
  } catch {
    // It has ended.
  }
}

/**
 * A program that keeps running, and the lines that it writes.
 * @typedef {object} Service
 * @property {string[]} logs every line it wrote so far, without colours
 * @property {(pattern: RegExp | ((line: string) => boolean), from?: number) => Promise<string>} log the first line
 *   (from index `from` of `logs`) that matches; waits for it, rejects when the program ends without one
 * @property {Promise<number | null>} ended its exit code
 * @property {() => Promise<void>} stop ends it and everything it started
 */

/**
 * Starts a program in a process group of its own.
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, onLine?: (line: string) => void }} [options]
 * @returns {Service}
 */
export function startService(program, args, { env = process.env, cwd = ROOT, onLine } = {}) {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const group = child.pid;
  if (group !== undefined) groups.add(group);
  if (!endsWithServices) endWithServices();
  endsWithServices = true;
  /** @type {string[]} */
  const logs = [];
  /** @type {Set<(line: string | undefined) => void>} */
  const listeners = new Set();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (coloured) => {
      const line = stripVTControlCharacters(coloured);
      logs.push(line);
      onLine?.(line);
      for (const listener of [...listeners]) listener(line);
    });
  }
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => {
    child.on("error", (error) => {
      logs.push(error.message);
      resolve(null);
    });
    child.on("close", resolve);
  }).then((code) => {
    for (const listener of [...listeners]) listener(undefined);
    if (group !== undefined) {
      signal(group, "SIGKILL");
      groups.delete(group);
    }
    services.delete(service);
    return /** @type {number | null} */ (code);
  });

  const service = {
    logs,
    ended,
    /** @type {Service["log"]} */
    log(pattern, from = 0) {
      /** @param {string} line */
      const matches = (line) => (pattern instanceof RegExp ? pattern.test(line) : pattern(line));
      const found = logs.slice(from).find(matches);
      if (found !== undefined) return Promise.resolve(found);
      return new Promise((resolve, reject) => {
        /** @param {string | undefined} line */
        const listener = (line) => {
          if (line !== undefined && !matches(line)) return;
          listeners.delete(listener);
          if (line === undefined) reject(new Problem(`${program} ended before it wrote a line like ${pattern}:\n${logs.join("\n")}`));
          else resolve(line);
        };
        listeners.add(listener);
        void ended.then(() => listener(undefined));
      });
    },
    async stop() {
      if (group === undefined) return;
      signal(group, "SIGTERM");
      const timer = setTimeout(() => signal(group, "SIGKILL"), 5000);
      await ended;
      clearTimeout(timer);
    },
  };
  services.add(service);
  return service;
}

/** Whether nothing listens on that port of this machine. @param {number} port @param {string} [host] */
export async function portIsFree(port, host = "127.0.0.1") {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, "listening");
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return false;
    throw error;
  } finally {
    server.close();
  }
}
