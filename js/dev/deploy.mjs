// `npm run deploy`: set-up, then `wrangler deploy` with the arguments given.
import { run, runMain } from "./process.mjs";
import { setUp } from "./setup.mjs";
import { wranglerCommand } from "./wrangler.mjs";

await runMain(async () => {
  await setUp(["worker"]);
  const [node, wrangler] = wranglerCommand();
  const { code } = await run(node, [wrangler, "deploy", "--env", "", ...process.argv.slice(2)], { inherit: true });
  return code ?? 1;
});
