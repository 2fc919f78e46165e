// Brings a fresh clone to the point where everything runs, and does nothing where that is so already.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Problem, ROOT, run, runMain } from "./process.mjs";
import { installNode, nodeForWrangler } from "./wrangler.mjs";

const WASM_TARGET = "wasm32-unknown-unknown";

/** What can be built: xtask's arguments and where it writes. `test` is the Worker with the test hooks beside the real one. */
const BUILDS = {
  worker: { args: ["worker"], folders: ["build"] },
  test: { args: ["worker", "--test-hooks"], folders: ["build", "build/test"] },
  npm: { args: ["npm"], folders: ["pkg"] },
};

/** In each of these folders: the hash of the sources that it was built from. */
const STAMP = ".sources";

/** @typedef {keyof typeof BUILDS} Build */

/**
 * Everything a command needs, one printed line per step.
 * @param {Build[]} builds the WebAssembly modules it needs
 */
export async function setUp(builds) {
  await rust();
  await npmDependencies();
  await node();
  for (const build of builds) await buildWasm(build);
}

async function rust() {
  const libraries = await run("rustc", ["--print", "target-libdir", "--target", WASM_TARGET]);
  if (libraries.missing) throw new Problem("Rust is missing: install it with rustup, see https://rustup.rs, and run this again.");
  if (libraries.code !== 0) throw new Problem(`rustc does not work:\n${libraries.stderr}`);
  if (existsSync(libraries.stdout.trim())) return step("rust", `target ${WASM_TARGET} is there`);
  const start = begin("rust", `adding the target ${WASM_TARGET}`);
  const added = await run("rustup", ["target", "add", WASM_TARGET]);
  if (added.code !== 0) {
    end(start, "failed");
    throw new Problem(`The Rust target ${WASM_TARGET} is missing: run \`rustup target add ${WASM_TARGET}\`.\n${added.stderr}`);
  }
  end(start);
}

async function npmDependencies() {
  const difference = lockDifference();
  if (difference === undefined) return step("npm", "dependencies are there");
  const start = begin("npm", `installing the dependencies (${difference})`);
  const args = [existsSync(join(ROOT, "node_modules")) ? "install" : "ci", "--loglevel=error"];
  const { code, missing, stderr } = await run("npm", args);
  if (code !== 0) {
    end(start, "failed");
    throw new Problem(missing ? "npm is missing: install it with Node.js." : `npm ${args.join(" ")} failed:\n${stderr}`);
  }
  end(start);
}

/** What makes node_modules differ from package-lock.json, or undefined. */
function lockDifference() {
  const installedLock = join(ROOT, "node_modules/.package-lock.json");
  if (!existsSync(installedLock)) return "none yet";
  /** @param {string} path @returns {Record<string, { version?: string, optional?: boolean }>} */
  const packages = (path) => JSON.parse(readFileSync(path, "utf8")).packages;
  const installed = packages(installedLock);
  for (const [path, wanted] of Object.entries(packages(join(ROOT, "package-lock.json")))) {
    if (path === "") continue;
    const found = installed[path];
    if (found === undefined ? !wanted.optional : found.version !== wanted.version) {
      return `${path.replace("node_modules/", "")} ${wanted.version}`;
    }
  }
  return undefined;
}

async function node() {
  const { version, oldest, installed } = nodeForWrangler();
  if (installed) return step("node", `${version} for wrangler`);
  const start = begin("node", `installing ${version} for wrangler, which needs ${oldest} (this is ${process.versions.node})`);
  await installNode();
  end(start);
}

/**
 * Builds a WebAssembly module if its sources have changed since it was built.
 * @param {Build} build
 */
export async function buildWasm(build) {
  const { args, folders } = BUILDS[build];
  const sources = sourcesHash();
  const stamps = folders.map((folder) => join(ROOT, folder, STAMP));
  if (stamps.every((stamp) => existsSync(stamp) && readFileSync(stamp, "utf8") === sources)) {
    return step("wasm", `${build} is up to date`);
  }
  step("wasm", `building ${build}${existsSync(join(ROOT, "build")) ? "" : ", minutes the first time"}`);
  const { code, missing } = await run("cargo", ["xtask", ...args], { inherit: true });
  if (missing) throw new Problem("cargo is missing: install Rust with rustup, see https://rustup.rs.");
  if (code !== 0) throw new Problem(`cargo xtask ${args.join(" ")} failed, see above.`);
  for (const stamp of stamps) writeFileSync(stamp, sources);
}

/** The hash of all that the WebAssembly modules are made from. */
function sourcesHash() {
  const files = ["Cargo.toml", "Cargo.lock", ".cargo/config.toml", "xtask/Cargo.toml"];
  for (const folder of ["src", "xtask/src"]) {
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) files.push(join(entry.parentPath ?? entry.path, entry.name).slice(ROOT.length));
    }
  }
  const hash = createHash("sha256");
  for (const file of files.sort()) {
    const content = readFileSync(join(ROOT, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/** @param {string} name @param {string} text */
function step(name, text) {
  console.log(`${name.padEnd(7)}${text}`);
}

/** Starts the line of a step that takes time. @param {string} name @param {string} text */
function begin(name, text) {
  process.stdout.write(`${name.padEnd(7)}${text} ... `);
  return performance.now();
}

/** Ends that line. @param {number} start @param {string} [result] */
function end(start, result = "done") {
  console.log(`${result}, ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

const USAGE = `usage: node js/dev/setup.mjs [worker|test|npm]… [--wasm-only]
Prepares a clone: wasm target, npm dependencies, a Node.js for wrangler, and the WebAssembly modules named (by
default worker).
  --wasm-only  builds the modules and does nothing else`;

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await runMain(async () => {
    const args = process.argv.slice(2);
    if (args.includes("--help")) return console.log(USAGE);
    const named = args.filter((arg) => arg !== "--wasm-only");
    const unknown = named.find((arg) => !(arg in BUILDS));
    if (unknown !== undefined) throw new Problem(`unknown argument ${unknown}\n${USAGE}`);
    const builds = /** @type {Build[]} */ (named.length > 0 ? named : ["worker"]);
    if (!args.includes("--wasm-only")) return setUp(builds);
    for (const build of builds) await buildWasm(build);
  });
}
