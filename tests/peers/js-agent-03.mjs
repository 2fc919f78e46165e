// A test agent on @a2a-js/sdk 0.3.14: v0.3 only.
import express from "express";
import { AGENT_CARD_PATH } from "a2a-js-sdk-0.3";
import { DefaultRequestHandler, InMemoryTaskStore } from "a2a-js-sdk-0.3/server";
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from "a2a-js-sdk-0.3/server/express";
import { choose } from "../../examples/agent/src/behaviours.mjs";
import { EXTENSION } from "../../examples/agent/src/card.mjs";
import { TEST_SKILLS } from "./behaviours.mjs";
import { Control } from "./control.mjs";
import { runAsProgram, serve } from "./serve.mjs";

/** @typedef {import("../../examples/agent/src/behaviours.mjs").Part} NeutralPart */

/** @param {NeutralPart} part */
function toPart({ text, bytes, uri, data, name, mediaType, metadata }) {
  const known = metadata ? { metadata } : {};
  if (text !== undefined) return { kind: "text", text, ...known };
  if (bytes !== undefined) return { kind: "file", file: { bytes: Buffer.from(bytes).toString("base64"), name, mimeType: mediaType }, ...known };
  if (uri !== undefined) return { kind: "file", file: { uri, name, mimeType: mediaType }, ...known };
  if (typeof data === "object" && data !== null && !Array.isArray(data)) return { kind: "data", data, ...known };
  // v0.3 has only objects: what agents that know both versions write for any other value.
  return { kind: "data", data: { value: data }, metadata: { ...metadata, data_part_compat: true } };
}

/** @param {import("a2a-js-sdk-0.3").Part} part @returns {NeutralPart} */
function fromPart(part) {
  const { metadata } = part;
  switch (part.kind) {
    case "text": return { text: part.text, metadata };
    case "data": return { data: part.data, metadata };
    case "file": {
      const { name, mimeType: mediaType } = part.file;
      return "bytes" in part.file
        ? { bytes: Buffer.from(part.file.bytes, "base64"), name, mediaType, metadata }
        : { uri: part.file.uri, name, mediaType, metadata };
    }
    default: throw new Error(`unknown part kind ${part.kind}`);
  }
}

const TERMINAL = ["completed", "failed", "canceled", "rejected"];

/** @implements {import("a2a-js-sdk-0.3/server").AgentExecutor} */
class Executor03 {
  #tasks = new Map();

  constructor(pause) {
    this.pause = pause;
  }

  async execute({ userMessage, taskId, contextId, task, context }, bus) {
    if (context?.requestedExtensions?.includes(EXTENSION)) context.addActivatedExtension(EXTENSION);
    const parts = userMessage.parts.map(fromPart);
    const words = parts.map((part) => part.text ?? "").join(" ").trim();
    const skill = this.#tasks.get(taskId)?.skill ?? choose(words, TEST_SKILLS);
    let cancel;
    let stopped = false;
    const canceled = new Promise((resolve) => { cancel = () => { stopped = true; resolve(); }; });
    this.#tasks.set(taskId, { skill, contextId, cancel });

    const message = (answer) => ({ kind: "message", messageId: crypto.randomUUID(), role: "agent", taskId, contextId, parts: answer.map(toPart) });
    const status = (step) => ({ state: step.state, message: step.parts && message(step.parts), timestamp: new Date().toISOString() });
    const steps = skill.run({ text: words, parts, resumed: task !== undefined }, { pause: () => Promise.race([this.pause(skill.id), canceled]), canceled });
    for await (const step of steps) {
      if (stopped) break;
      switch (step.type) {
        case "message": {
          const { taskId: _none, ...answer } = message(step.parts);
          bus.publish({ ...answer, metadata: userMessage.metadata });
          break;
        }
        case "task":
          bus.publish({ kind: "task", id: taskId, contextId, status: status(step), artifacts: task?.artifacts ?? [], history: task?.history ?? [userMessage], metadata: userMessage.metadata });
          break;
        case "status":
          bus.publish({ kind: "status-update", taskId, contextId, status: status(step), final: step.state === "input-required" || TERMINAL.includes(step.state) });
          break;
        case "artifact":
          bus.publish({ kind: "artifact-update", taskId, contextId, append: step.append, lastChunk: step.last, artifact: { artifactId: step.id, name: step.name, parts: step.parts.map(toPart) } });
          break;
      }
    }
    if (!stopped) bus.finished();
  }

  async cancelTask(taskId, bus) {
    const running = this.#tasks.get(taskId);
    running?.cancel();
    bus.publish({
      kind: "status-update", taskId, contextId: running?.contextId ?? "", final: true,
      status: { state: "canceled", timestamp: new Date().toISOString() },
    });
    bus.finished();
  }
}

/** @param {{ port?: number, binding?: string }} [options] @returns {Promise<{ url: string, stop: () => Promise<void> }>} */
export function startJsAgent03({ port, binding } = {}) {
  return serve((url) => {
    const interfaces = [{ url: `${url}/a2a/jsonrpc`, transport: "JSONRPC" }, { url: `${url}/a2a/rest`, transport: "HTTP+JSON" }]
      .filter(({ transport }) => !binding || transport === binding);
    const card = {
      name: "JS agent 0.3", description: "A v0.3 test agent.", version: "0.3.14", protocolVersion: "0.3.0",
      url: interfaces[0].url, preferredTransport: interfaces[0].transport, additionalInterfaces: interfaces,
      provider: { organization: "a2a-compat", url: "https://example.com" },
      capabilities: { streaming: true, pushNotifications: false, extensions: [{ uri: EXTENSION, description: "Says please and thank you.", required: false }] },
      supportsAuthenticatedExtendedCard: true,
      defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"],
      skills: TEST_SKILLS.map(({ id, name, description, tags, examples }) => ({ id, name, description, tags, examples })),
    };
    const extended = {
      ...card, name: `${card.name} (extended)`,
      skills: [...card.skills, { id: "secret", name: "Secret", description: "Only in the extended card.", tags: ["extended"] }],
    };
    const store = new InMemoryTaskStore();
    const control = new Control({
      onOptions: ({ requireExtension }) => { card.capabilities.extensions[0].required = requireExtension; },
      onTask: (id) => store.save({ kind: "task", id, contextId: "planted", status: { state: "working", timestamp: new Date().toISOString() }, artifacts: [], history: [] }),
    });
    const pause = async (behaviour) => {
      if (["hold", "auth", "die"].includes(behaviour)) await control.gate();
      if (behaviour === "die") await control.die();
    };
    const requestHandler = new DefaultRequestHandler(card, store, new Executor03(pause), undefined, undefined, undefined, async () => extended);
    const userBuilder = UserBuilder.noAuthentication;
    const app = express()
      .use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler }))
      .use("/a2a/jsonrpc", jsonRpcHandler({ requestHandler, userBuilder }))
      .use("/a2a/rest", restHandler({ requestHandler, userBuilder }));
    return { control, app };
  }, { port });
}

await runAsProgram(import.meta.url, startJsAgent03);
