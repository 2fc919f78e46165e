// The gateway alone in workerd, without wrangler. `wrangler dev` puts a proxy in front that hides from the Worker when
// a client leaves, and takes seconds to start.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { ROOT, startService } from "./process.mjs";

/**
 * @param {object} options
 * @param {string} options.build the folder that `../build/` of js/worker.mjs stands for
 * @param {Record<string, string>} options.bindings variables and secrets
 * @returns {Promise<import("./process.mjs").Service & { url: string }>}
 */
export async function startWorkerd({ build, bindings }) {
  const runs = join(ROOT, ".cache/run");
  await mkdir(runs, { recursive: true });
  const folder = await mkdtemp(join(runs, "workerd-"));
  const config = join(folder, "config.capnp");
  await writeFile(config, configuration(folder, build, Object.keys(bindings)));
  // The values go through the environment: capnp's strings have other escapes.
  const service = startService(createRequire(import.meta.url)("workerd").default, ["serve", config, "--control-fd=1"], {
    env: { ...process.env, ...bindings },
  });
  const stop = async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const { port } = JSON.parse(await service.log(/^\{"event":"listen"/));
    service.logs.length = 0; // from here on they are the Worker's
    return { ...service, stop, url: `http://127.0.0.1:${port}` };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * workerd's configuration: production's code and compatibility date, on a free port.
 * @param {string} folder where it will be
 * @param {string} build
 * @param {string[]} names of the bindings
 */
function configuration(folder, build, names) {
  const wrangler = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  const date = /^compatibility_date = (".*")/m.exec(wrangler)?.[1];
  const flags = /^compatibility_flags = (\[.*\])/m.exec(wrangler)?.[1] ?? "[]";
  const modules = modulesOf(build).map(({ name, path, kind }) => {
    return `(name = ${JSON.stringify(name)}, ${kind} = embed ${JSON.stringify(relative(folder, path))})`;
  });
  const bindings = names.map((name) => `(name = "${name}", fromEnvironment = "${name}")`);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "gateway", worker = (
      compatibilityDate = ${date}, compatibilityFlags = ${flags},
      modules = [
        ${modules.join(",\n        ")}
      ],
      bindings = [${bindings.join(", ")}],
    )),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "gateway")],
);
`;
}

/**
 * The modules that js/worker.mjs imports, named as it imports them; the first is the entry.
 * @param {string} build
 */
function modulesOf(build) {
  /** @param {string} folder @param {string} as @param {RegExp} pattern */
  const within = (folder, as, pattern) => {
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => pattern.test(name))
      .map((name) => ({ name: `${as}/${name}`, path: join(folder, name), kind: name.endsWith(".wasm") ? "wasm" : "esModule" }));
  };
  return [
    { name: "js/worker.mjs", path: join(ROOT, "js/worker.mjs"), kind: "esModule" },
    ...within(join(ROOT, "js/worker"), "js/worker", /\.mjs$/),
    ...within(build, "build", /^worker(_bg)?\.(js|wasm)$/),
    ...within(join(build, "snippets"), "build/snippets", /\.js$/),
  ];
}
