// `npm test`: set-up, then all suites. The last line says how many tests passed and failed.
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { Problem, ROOT, run, runMain, startService } from "./process.mjs";
import { setUp } from "./setup.mjs";

const USAGE = `usage: npm test -- [--only rust|node|python] [--verbose] [NAME]

  --only     one kind of suite; python: the tests of tests/ that need a Python peer
  --verbose  shows what passing tests write, too
  NAME       only test files whose path contains NAME or, if there is none, tests whose name matches it`;

/** A CI run must not pass because something could not run. */
const IS_CI = !["", "0", "false"].includes(process.env.CI ?? "");

/**
 * What a suite came to.
 * @typedef {object} Outcome
 * @property {string} suite
 * @property {number} passed
 * @property {string[]} failures one text each
 * @property {string[]} notRun one text each
 * @property {number} [ignored] tests that nobody asked for, such as Rust's `#[ignore]`d ones, which take long
 * @property {string} [output] what the tests wrote
 */

/** Prints a suite's line and what there is to say about it. @param {Outcome} outcome @param {boolean} verbose */
function print({ suite, passed, failures, notRun, ignored = 0, output = "" }, verbose) {
  const counts = [`${passed} passed`, `${failures.length} failed`];
  if (notRun.length > 0) counts.push(`${notRun.length} not run`);
  if (ignored > 0) counts.push(`${ignored} ignored`);
  console.log(`${suite.padEnd(44)} ${counts.join(", ")}`);
  if (output !== "" && (verbose || failures.length > 0)) console.log(indent(output));
  for (const failure of failures) console.log(indent(`FAILED ${failure}`));
  for (const reason of notRun) console.log(indent(reason));
}

/** @param {string} text */
const indent = (text) => text.trimEnd().replace(/^/gm, "    ");

/**
 * `cargo test`, an outcome per test binary.
 * @param {string | undefined} name
 * @returns {Promise<Outcome[]>}
 */
async function rustSuites(name) {
  const args = ["test", "--locked", "--no-fail-fast", ...(name === undefined ? [] : [name])];
  // One stream, so that the results stay behind the name of the binary that they are of.
  const { code, stdout } = await run("sh", ["-c", 'exec cargo "$@" 2>&1', "sh", ...args], { env: { ...process.env, CARGO_TERM_COLOR: "never" } });
  /** @type {Outcome[]} */
  const outcomes = [];
  const [build = "", ...binaries] = stdout.replace(/^ +(Compiling|Downloading|Downloaded|Locking|Updating) .*\n/gm, "").split(/^ +(?=Running |Doc-tests )/m);
  for (const output of binaries) {
    const suite = /^(?:Running (?:unittests )?(\S+)|Doc-tests )/.exec(output)?.[1] ?? "documentation";
    const failures = [...output.matchAll(/^test (.+) \.\.\. FAILED$/gm)].map(([, test]) => `${test}`);
    const result = /^test result: .* (\d+) passed; (\d+) failed; (\d+) ignored/m.exec(output);
    if (result === null) failures.push("ended without a result");
    const passed = Number(result?.[1] ?? 0);
    const ignored = Number(result?.[3] ?? 0);
    if (passed + failures.length + ignored === 0) continue;
    outcomes.push({ suite: `rust  ${suite}`, passed, failures, notRun: [], ignored, output });
  }
  const failed = outcomes.some(({ failures }) => failures.length > 0);
  if (code !== 0 && !failed) outcomes.push({ suite: "rust  cargo test", passed: 0, failures: [`could not run:\n${build}`], notRun: [] });
  return outcomes;
}

/**
 * A test file, in Node.js.
 * @param {string} file
 * @param {string | undefined} name
 * @returns {Promise<Outcome>}
 */
async function nodeSuite(file, name) {
  const args = ["--test", `--test-reporter=${join(ROOT, "js/dev/reporter.mjs")}`, "--test-timeout=300000"];
  if (name !== undefined) args.push(`--test-name-pattern=${name}`);
  const service = startService(process.execPath, [...args, file], { env: { ...process.env, A2A_COMPAT_BUILT: "1" } });
  const code = await service.ended;
  /** @type {Outcome} */
  const outcome = { suite: `node  ${relative(ROOT, file)}`, passed: 0, failures: [], notRun: [], output: "" };
  for (const line of service.logs) {
    if (!line.startsWith("{")) {
      outcome.output += `${line}\n`;
      continue;
    }
    const event = /** @type {import("./reporter.mjs").Event} */ (JSON.parse(line));
    if (event.kind === "output") outcome.output += `${event.text.trimEnd()}\n`;
    else if (event.kind === "pass") outcome.passed += 1;
    else if (event.kind === "fail") outcome.failures.push(`${event.path.join(" › ")}\n${event.reason}`);
    else if (name === undefined) outcome.notRun.push(`not run: ${event.path.join(" › ")}: ${event.reason?.replace(/^not run: /, "")}`);
  }
  if (code !== 0 && outcome.failures.length === 0) outcome.failures.push(`node --test ended with ${code}`);
  return outcome;
}

/** All test files, in order. */
function testFiles() {
  return readdirSync(join(ROOT, "tests"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.mjs"))
    .map((path) => join(ROOT, "tests", path))
    .sort();
}

await runMain(async () => {
  const { values, positionals } = parseArgs({
    options: { only: { type: "string" }, verbose: { type: "boolean", default: false }, help: { type: "boolean", short: "h" } },
    allowPositionals: true,
  });
  if (values.help) return console.log(USAGE);
  const { only, verbose } = values;
  const [name, ...more] = positionals;
  if (more.length > 0 || (only !== undefined && !["rust", "node", "python"].includes(only))) throw new Problem(USAGE);

  let passed = 0;
  let failed = 0;
  /** @param {Outcome} outcome */
  const done = (outcome) => {
    print(outcome, verbose);
    passed += outcome.passed;
    failed += outcome.failures.length + (IS_CI ? outcome.notRun.length : 0);
  };
  if (only !== "rust") await setUp(["test", "npm"]);
  if (only === undefined || only === "rust") {
    console.log("test   cargo test");
    for (const outcome of await rustSuites(name)) done(outcome);
  }
  if (only !== "rust") {
    console.log("test   node --test");
    const files = testFiles();
    const named = name === undefined ? files : files.filter((file) => relative(ROOT, file).includes(name));
    const pattern = only === "python" ? "Python" : named.length === 0 ? name : undefined;
    for (const file of named.length === 0 ? files : named) {
      const outcome = await nodeSuite(file, pattern);
      if (pattern === undefined || outcome.passed + outcome.failures.length > 0) done(outcome);
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
});
