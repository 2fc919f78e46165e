// `npm run bench`: set-up, then the benchmark in this Node.js and in the newer one that wrangler runs on, if it is there.
import { parseArgs } from "node:util";
import { Problem, run, runMain } from "./process.mjs";
import { setUp } from "./setup.mjs";
import { nodeForWrangler } from "./wrangler.mjs";

const USAGE = `usage: npm run bench -- [--only a,c] [--quick] [--endurance]

  --only       these payloads: a b c d e f
  --quick      fewer rounds
  --endurance  instead: a million events and a gibibyte through one stream; fails if wasm memory grows`;

await runMain(async () => {
  const args = process.argv.slice(2);
  const { values } = parseArgs({
    args,
    options: { only: { type: "string" }, quick: { type: "boolean" }, endurance: { type: "boolean" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help) return console.log(USAGE);
  await setUp(["npm"]);
  const newer = nodeForWrangler();
  const nodes = [process.execPath];
  if (newer.installed && newer.path !== process.execPath && !values.endurance) nodes.push(newer.path);
  for (const node of nodes) {
    console.log();
    const { code } = await run(node, ["--disable-warning=ExperimentalWarning", "benches/run.mjs", ...args], { inherit: true });
    if (code !== 0) throw new Problem(`the benchmark failed in ${node}`);
  }
});
