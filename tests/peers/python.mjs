// The Python peers' interpreters: one virtual environment per SDK version under .cache/, made when first needed and
// kept. `node tests/peers/python.mjs` makes both. Without a Python that will do, `venvProblem` says why.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../../.cache/", import.meta.url));
const OLDEST = [3, 10];

const ENVIRONMENTS = {
  "1": { folder: ".venv-a2a-1", packages: ["a2a-sdk[http-server]==1.3.0", "uvicorn==0.54.0", "httpx==0.28.1"] },
  "03": { folder: ".venv-a2a-03", packages: ["a2a-sdk[http-server]==0.3.26", "uvicorn==0.54.0", "httpx==0.28.1"] },
};

function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  return { ok: status === 0, output: `${stdout ?? ""}${stderr ?? ""}${error ? error.message : ""}`.trim() };
}

function findPython() {
  const candidates = [process.env.PYTHON, "python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python"].filter(Boolean);
  const seen = [];
  for (const candidate of candidates) {
    const { ok, output } = run(candidate, ["-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"]);
    if (!ok) continue;
    const [major, minor] = output.split(".").map(Number);
    if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return { python: candidate };
    seen.push(`${candidate} is ${output}`);
  }
  return { problem: `no Python ≥ ${OLDEST.join(".")} with venv${seen.length > 0 ? ` (${seen.join(", ")})` : ""}` };
}

/** @type {Map<string, { python: string } | { problem: string }>} */
const made = new Map();

function make(version) {
  const { folder, packages } = ENVIRONMENTS[version];
  const path = join(ROOT, folder);
  const python = join(path, "bin", "python");
  const stamp = join(path, "installed");
  const wanted = createHash("sha256").update(packages.join("\n")).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted && run(python, ["-c", "import a2a"]).ok) return { python };
  const found = findPython();
  if (found.problem) return found;
  rmSync(path, { recursive: true, force: true });
  mkdirSync(ROOT, { recursive: true });
  console.log(`Python peers: installing ${packages[0]} into .cache/${folder}`);
  for (const step of [[found.python, ["-m", "venv", path]], [python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages]]]) {
    const { ok, output } = run(...step);
    if (!ok) return { problem: `${step[1].slice(0, 3).join(" ")} failed: ${output.split("\n").at(-1)}` };
  }
  writeFileSync(stamp, wanted);
  return { python };
}

function environment(version) {
  if (!made.has(version)) made.set(version, make(version));
  return made.get(version);
}

/**
 * Why the Python peer of that SDK version cannot run here, or undefined if it can. Makes its environment if need be.
 * @param {"1" | "03"} version
 */
export function venvProblem(version) {
  return environment(version).problem;
}

/**
 * The environment of that SDK version.
 * @param {"1" | "03"} version
 * @returns {{ python: string }}
 */
export function venv(version) {
  const found = environment(version);
  if (found.problem) throw new Error(`no Python peer: ${found.problem}`);
  return found;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const version of Object.keys(ENVIRONMENTS)) console.log(`a2a-sdk ${version}: ${venvProblem(version) ?? venv(version).python}`);
}
