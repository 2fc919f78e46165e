// A driver over a Python client: py_client_*.py is a process that is told what to do in JSON lines and answers in them.
//
//   → {"id":1,"op":"send","args":{…}}      ← {"id":1,"result":…} or {"id":1,"error":{type,code,message}}
//   → {"id":2,"op":"stream","args":{…}}    ← {"id":2,"event":…} …, then {"id":2,"end":true} or an error
//   → {"id":3,"op":"leave","args":{"stream":2}}
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { PeerError } from "./neutral.mjs";
import { venv } from "./python.mjs";

class PythonProcess {
  #next = 1;
  #waiting = new Map();
  #log = [];
  #kill = () => this.child.kill("SIGKILL");

  constructor(version) {
    this.child = spawn(venv(version).python, [fileURLToPath(new URL(`py_client_${version}.py`, import.meta.url))], {
      stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, PYTHONUNBUFFERED: "1" },
    });
    process.on("exit", this.#kill); // a test that ends badly must not leave it behind
    this.child.stderr.setEncoding("utf8").on("data", (text) => this.#log.push(text));
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      const answer = JSON.parse(line);
      this.#waiting.get(answer.id)?.(answer);
    });
    this.exited = once(this.child, "exit").then(() => {
      const error = { type: "exit", message: `the Python client ended:\n${this.#log.join("")}` };
      for (const waiter of this.#waiting.values()) waiter({ error });
    });
  }

  #tell(op, args, waiter) {
    const id = this.#next++;
    this.#waiting.set(id, waiter);
    this.child.stdin.write(`${JSON.stringify({ id, op, args })}\n`);
    return id;
  }

  call(op, args = {}) {
    return new Promise((resolve, reject) => {
      const id = this.#tell(op, args, ({ result, error }) => {
        this.#waiting.delete(id);
        if (error) reject(new PeerError(error));
        else resolve(result);
      });
    });
  }

  async *events(op, args) {
    const queue = [];
    let wake = () => {};
    const id = this.#tell(op, args, (answer) => {
      queue.push(answer);
      wake();
    });
    let over = false;
    try {
      for (;;) {
        while (queue.length === 0) await new Promise((resolve) => { wake = resolve; });
        const { event, error } = queue.shift();
        if (event !== undefined) {
          yield event;
          continue;
        }
        over = true;
        if (error) throw new PeerError(error);
        return;
      }
    } finally {
      this.#waiting.delete(id);
      if (!over) await this.call("leave", { stream: id });
    }
  }

  async close() {
    this.child.stdin.end();
    this.child.kill("SIGTERM");
    await this.exited;
    process.off("exit", this.#kill);
  }
}

/**
 * @param {"1" | "03"} version
 * @param {string} url
 * @param {{ authorization?: string, transport?: "JSONRPC" | "HTTP+JSON" }} [options]
 */
export async function connectPython(version, url, { authorization, transport = "JSONRPC" } = {}) {
  const client = new PythonProcess(version);
  let card;
  try {
    card = await client.call("connect", { url, authorization, transport });
  } catch (error) {
    await client.close();
    throw error;
  }
  return {
    version: version === "1" ? "1.0" : "0.3",
    binding: transport,
    card,
    send: (message, config) => client.call("send", { message, config: config ?? {} }),
    stream: (message, config) => client.events("stream", { message, config: config ?? {} }),
    get: (id, { historyLength } = {}) => client.call("get", { id, historyLength }),
    list: (filter) => client.call("list", filter),
    cancel: (id) => client.call("cancel", { id }),
    resubscribe: (id) => client.events("resubscribe", { id }),
    extendedCard: () => client.call("extendedCard"),
    close: () => client.close(),
  };
}
