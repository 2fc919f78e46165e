// Runs a behaviour and says its steps in A2A v1.0, through @a2a-js/sdk's AgentExecutor interface.
import { Role, taskStateFromJSON } from "@a2a-js/sdk";
import { AgentEvent } from "@a2a-js/sdk/server";
import { EXTENSION } from "./card.mjs";
import { SKILLS, choose } from "./behaviours.mjs";

/** @typedef {import("./behaviours.mjs").Part} NeutralPart */

/** @param {NeutralPart} part @returns {import("@a2a-js/sdk").Part} */
function toPart(part) {
  const content =
    part.text !== undefined ? { $case: "text", value: part.text }
    : part.bytes !== undefined ? { $case: "raw", value: Buffer.from(part.bytes) }
    : part.uri !== undefined ? { $case: "url", value: part.uri }
    : { $case: "data", value: part.data };
  return { content, metadata: part.metadata, filename: part.name ?? "", mediaType: part.mediaType ?? "" };
}

/** @param {import("@a2a-js/sdk").Part} part @returns {NeutralPart} */
function fromPart(part) {
  const known = { name: part.filename || undefined, mediaType: part.mediaType || undefined, metadata: part.metadata };
  switch (part.content?.$case) {
    case "text": return { text: part.content.value, ...known };
    case "raw": return { bytes: part.content.value, ...known };
    case "url": return { uri: part.content.value, ...known };
    case "data": return { data: part.content.value, ...known };
    default: return { data: null, ...known }; // the SDK reads {"data":null} as a part without content
  }
}

const state = (word) => taskStateFromJSON(`TASK_STATE_${word.toUpperCase().replace("-", "_")}`);

/**
 * The agent behind the protocol. One instance serves all tasks of an isolate.
 * @implements {import("@a2a-js/sdk/server").AgentExecutor}
 */
export class Executor {
  /** @type {Map<string, { skill: import("./behaviours.mjs").Skill, contextId: string, cancel: () => void }>} */
  #tasks = new Map();

  /**
   * @param {object} options
   * @param {(skill: string) => Promise<void>} options.pause what a behaviour, named by its id, waits for between two steps
   * @param {import("./behaviours.mjs").Skill[]} [options.skills]
   */
  constructor({ pause, skills = SKILLS }) {
    this.pause = pause;
    this.skills = skills;
  }

  /**
   * @param {import("@a2a-js/sdk/server").RequestContext} request
   * @param {import("@a2a-js/sdk/server").ExecutionEventBus} bus
   */
  async execute({ userMessage, taskId, contextId, task, context }, bus) {
    if (context.requestedExtensions?.includes(EXTENSION)) context.addActivatedExtension(EXTENSION);
    const parts = userMessage.parts.map(fromPart);
    const words = parts.map((part) => part.text ?? "").join(" ").trim();
    const skill = this.#tasks.get(taskId)?.skill ?? choose(words, this.skills);

    let cancel;
    let stopped = false;
    const canceled = new Promise((resolve) => { cancel = () => { stopped = true; resolve(); }; });
    const forget = () => { if (this.#tasks.get(taskId)?.cancel === cancel) this.#tasks.delete(taskId); };
    this.#tasks.set(taskId, { skill, contextId, cancel });

    const message = (answer) => ({
      messageId: crypto.randomUUID(), role: Role.ROLE_AGENT, taskId, contextId, parts: answer.map(toPart),
      metadata: undefined, extensions: [], referenceTaskIds: [],
    });
    const status = (step) => ({
      state: state(step.state), message: step.parts && message(step.parts), timestamp: new Date().toISOString(),
    });

    const steps = skill.run(
      { text: words, parts, resumed: task !== undefined },
      { pause: () => Promise.race([this.pause(skill.id), canceled]), canceled },
    );
    let open = false; // the task waits for the user, who may still cancel it
    for await (const step of steps) {
      if (stopped) return;
      switch (step.type) {
        case "message":
          bus.publish(AgentEvent.message({ ...message(step.parts), taskId: "", metadata: userMessage.metadata }));
          break;
        case "task":
          bus.publish(AgentEvent.task({
            id: taskId, contextId, status: status(step), artifacts: task?.artifacts ?? [],
            history: task?.history ?? [userMessage], metadata: userMessage.metadata,
          }));
          break;
        case "status":
          open = step.state === "input-required";
          bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(step), metadata: step.metadata }));
          break;
        case "artifact":
          bus.publish(AgentEvent.artifactUpdate({
            taskId, contextId, append: step.append, lastChunk: step.last, metadata: undefined,
            artifact: {
              artifactId: step.id, name: step.name, description: "", parts: step.parts.map(toPart),
              metadata: undefined, extensions: [],
            },
          }));
          break;
      }
    }
    if (!open) forget();
  }

  /**
   * @param {string} taskId
   * @param {import("@a2a-js/sdk/server").ExecutionEventBus} bus
   */
  async cancelTask(taskId, bus) {
    const running = this.#tasks.get(taskId);
    this.#tasks.delete(taskId);
    running?.cancel();
    bus.publish(AgentEvent.statusUpdate({
      taskId, contextId: running?.contextId ?? "", metadata: undefined,
      status: { state: state("canceled"), message: undefined, timestamp: new Date().toISOString() },
    }));
  }
}
