// `npm start`: set-up, then the gateway and the sample agent in `wrangler dev`, until Ctrl-C.
import { parseArgs } from "node:util";
import { Problem, ROOT, portIsFree, runMain } from "./process.mjs";
import { setUp } from "./setup.mjs";
import { startWranglerDev } from "./wrangler.mjs";

const USAGE = `usage: npm start -- [--port PORT] [--ip ADDRESS] [wrangler dev's options]

Runs the gateway on http://127.0.0.1:8787, in front of the sample agent (examples/agent) or of another one:
  npm start -- --var UPSTREAM_URL:http://127.0.0.1:9101
Variables are set with --var NAME:VALUE, secrets in .dev.vars (see .dev.vars.example). Everything but --port and --ip
is passed on to \`wrangler dev\`.`;

/** What is ours of the arguments, and the rest. @param {string[]} args */
function readArguments(args) {
  const { tokens } = parseArgs({
    args,
    strict: false,
    tokens: true,
    options: { port: { type: "string" }, ip: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  const read = { port: "8787", ip: "127.0.0.1", help: false, rest: [...args] };
  for (const token of [...tokens].reverse()) {
    if (token.kind !== "option") continue;
    if (token.name === "help") read.help = true;
    if (token.name !== "port" && token.name !== "ip") continue;
    if (token.value === undefined) throw new Problem(`${token.rawName} needs a value\n${USAGE}`);
    read[token.name] = token.value;
    read.rest.splice(token.index, token.inlineValue ? 1 : 2);
  }
  return read;
}

/** What to try first. @param {string} url */
function banner(url) {
  /** @param {string} method @param {object} message @param {string} [options] */
  const curl = (method, message, options = "") => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { message } });
    return `  curl -s${options} ${url} -H 'Content-Type: application/json' -d '${body}'`;
  };
  /** @param {string} text */
  const legacy = (text) => ({ kind: "message", messageId: "m1", role: "user", parts: [{ kind: "text", text }] });
  return `
The gateway is ready: ${url}
Agent card: ${url}/.well-known/agent-card.json

A v0.3 client sends a message:
${curl("message/send", legacy("hello"))}

A v0.3 client streams:
${curl("message/stream", legacy("slow"), "N")}

A v1.0 client sends a message:
${curl("SendMessage", { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hello" }] }, " -H 'A2A-Version: 1.0'")}

Ctrl-C stops it.
`;
}

await runMain(async () => {
  const { port, ip, help, rest } = readArguments(process.argv.slice(2));
  if (help) return console.log(USAGE);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) throw new Problem(`--port ${port} is not a port number`);
  if (!(await portIsFree(Number(port), ip))) {
    throw new Problem(`Port ${port} is taken: stop what listens there, or choose another: npm start -- --port ${Number(port) + 1}`);
  }
  await setUp(["worker"]);
  console.log("start  wrangler dev");
  const configs = ["-c", `${ROOT}wrangler.toml`, "-c", `${ROOT}examples/agent/wrangler.toml`, "--env", "dev"];
  let show = false;
  const service = await startWranglerDev([...configs, "--ip", ip, "--port", port, ...rest], {
    // With two Workers wrangler puts a name before what they log, and does not always know it.
    onLine: (line) => show && console.log(line.replace(/^\[undefined\] /, "")),
  });
  console.log(banner(service.url));
  show = true;
  process.exitCode = 0; // Ctrl-C is how it is meant to end,
  const code = await service.ended;
  return code === 143 ? 0 : (code ?? 1); // and 143 is what wrangler says then.
});
