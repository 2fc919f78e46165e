// A test agent on @a2a-js/sdk 1.3.0 as its authors mean it to be used: Express handlers, v1.0 only (legacyCompat off).
import express from "express";
import { AGENT_CARD_PATH, taskStateFromJSON } from "@a2a-js/sdk";
import { DefaultRequestHandler, InMemoryTaskStore, UnauthenticatedUser } from "@a2a-js/sdk/server";
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from "@a2a-js/sdk/server/express";
import { createCard, extendCard } from "../../examples/agent/src/card.mjs";
import { Executor } from "../../examples/agent/src/executor.mjs";
import { TEST_SKILLS } from "./behaviours.mjs";
import { Control } from "./control.mjs";
import { runAsProgram, serve } from "./serve.mjs";

/** @param {{ port?: number, binding?: string }} [options] @returns {Promise<{ url: string, stop: () => Promise<void> }>} */
export function startJsAgent1({ port, binding } = {}) {
  return serve((url) => {
    const card = createCard({
      name: "JS agent 1.x", skills: TEST_SKILLS,
      interfaces: [
        { url: `${url}/a2a/jsonrpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
        { url: `${url}/a2a/rest`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
      ].filter((entry) => !binding || entry.protocolBinding === binding),
    });
    const store = new InMemoryTaskStore();
    const control = new Control({
      onOptions: ({ requireExtension }) => { card.capabilities.extensions[0].required = requireExtension; },
      onTask: (id) => store.save(
        { id, contextId: "planted", status: { state: taskStateFromJSON("TASK_STATE_WORKING"), message: undefined, timestamp: new Date().toISOString() }, artifacts: [], history: [], metadata: undefined },
        { tenant: "", user: new UnauthenticatedUser() },
      ),
    });
    const pause = async (behaviour) => {
      if (["hold", "auth", "die"].includes(behaviour)) await control.gate();
      if (behaviour === "die") await control.die();
    };
    const executor = new Executor({ skills: TEST_SKILLS, pause });
    const requestHandler = new DefaultRequestHandler(card, store, executor, undefined, undefined, undefined, async () => extendCard(card));
    const userBuilder = UserBuilder.noAuthentication;
    const app = express()
      .use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler }))
      .use("/a2a/jsonrpc", jsonRpcHandler({ requestHandler, userBuilder }))
      .use("/a2a/rest", restHandler({ requestHandler, userBuilder }));
    return { control, app };
  }, { port });
}

await runAsProgram(import.meta.url, startJsAgent1);
