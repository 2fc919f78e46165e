// Writes the golden vectors' texts as seeds for the fuzz targets: fuzz/corpus/<target>/.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const vectors = join(here, "../tests/vectors");
let count = 0;

/** @param {string} target @param {string | Buffer} text */
function seed(target, text) {
  const folder = join(here, "corpus", target);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `vector-${count++}`), text);
}

for (const file of readdirSync(vectors).filter((name) => name.endsWith(".json"))) {
  for (const { input } of JSON.parse(readFileSync(join(vectors, file), "utf8"))) {
    const text = typeof input?.text === "string" ? input.text : JSON.stringify(input?.body ?? input);
    seed("validate", text);
    // Two bytes choose shape, dialects and options: see the targets.
    for (const choice of [0, 7, 40, 99, 150, 255]) {
      seed("translate", Buffer.concat([Buffer.from([count % 256, choice]), Buffer.from(text)]));
    }
    seed("sse", Buffer.concat([Buffer.from([count % 256, 16]), Buffer.from(text.startsWith("data") ? text : `data: ${text}\n\n`)]));
  }
}
console.log(`${count} seeds in ${join(here, "corpus")}`);
