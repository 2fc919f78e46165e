// Starts a JS test agent in this process, on a free port; as a program it prints its URL when it is ready.
import { once } from "node:events";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

/**
 * @param {(url: string) => { control: import("./control.mjs").Control, app: import("node:http").RequestListener }} create
 * @param {{ port?: number }} [options]
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function serve(create, { port = 0 } = {}) {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  const { control, app } = create(url);
  server.on("request", control.inFrontOf(app));
  return {
    url,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Runs `start` and prints the URL if `module` is the program that node was asked to run. BINDING is the only binding that its card offers. */
export async function runAsProgram(module, start) {
  if (module !== pathToFileURL(process.argv[1] ?? "").href) return;
  const { url } = await start({ port: Number(process.env.PORT ?? 0), binding: process.env.BINDING });
  console.log(url);
}
