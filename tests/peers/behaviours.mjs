// The sample agent's behaviours and the ones that only a test wants: an agent that can be held, and one that dies.
// The Python agents tell the same ones again in behaviours.py.
import { SKILLS } from "../../examples/agent/src/behaviours.mjs";

/** @typedef {import("../../examples/agent/src/behaviours.mjs").Behaviour} Behaviour */

const text = (value) => [{ text: value }];

/** `hold N`: N artifacts, each of which waits until the test releases it, and so does the end. @type {Behaviour} */
async function* hold(turn, { pause }) {
  const count = Number(turn.text.split(/\s+/)[1] ?? 1);
  yield { type: "task", state: "working" };
  for (let index = 0; index < count; index++) {
    await pause();
    yield { type: "artifact", id: "held", name: "held", parts: text(`chunk ${index}`), append: index > 0, last: index === count - 1 };
  }
  await pause();
  yield { type: "status", state: "completed" };
}

/** `auth`: needs credentials from elsewhere, keeps the stream open and goes on when it has them. @type {Behaviour} */
async function* auth(_turn, { pause }) {
  yield { type: "task", state: "working" };
  yield { type: "status", state: "auth-required", parts: text("Sign in at the bank.") };
  await pause();
  yield { type: "status", state: "completed", parts: text("Signed in.") };
}

/** `die`: once released, the connection breaks in the middle of the stream. @type {Behaviour} */
async function* die(_turn, { pause }) {
  yield { type: "task", state: "working" };
  yield { type: "status", state: "working", parts: text("About to die.") };
  await pause();
}

const testOnly = (id, run) => ({ id, name: id, description: `For tests: ${id}.`, tags: ["test"], examples: [id], run });

/** @type {import("../../examples/agent/src/behaviours.mjs").Skill[]} */
export const TEST_SKILLS = [...SKILLS, testOnly("hold", hold), testOnly("auth", auth), testOnly("die", die)];
