// What the sample agent does, told without the words of any A2A version: each behaviour is an async generator that
// reads a turn (what the user said) and yields steps. `executor.mjs` says the steps in A2A v1.0.
//
// A step is one of
//   { type: "message",  parts }                           the whole answer, no task
//   { type: "task",     state, parts? }                   a task begins (or goes on, in a follow-up)
//   { type: "status",   state, parts?, metadata? }        the task's status changes
//   { type: "artifact", id, name, parts, append, last }   an artifact, or one more chunk of it
// and a part is { text } | { bytes, name?, mediaType? } | { uri, name?, mediaType? } | { data }, each with `metadata`
// if it has any. States are v0.3's words, which are also v1.0's in lower case: "working", "input-required" …

/**
 * @typedef {{ text?: string, bytes?: Uint8Array, uri?: string, data?: unknown, name?: string, mediaType?: string,
 *   metadata?: Record<string, unknown> }} Part
 * @typedef {{ type: "message", parts: Part[] }
 *   | { type: "task", state: string, parts?: Part[] }
 *   | { type: "status", state: string, parts?: Part[], metadata?: Record<string, unknown> }
 *   | { type: "artifact", id: string, name: string, parts: Part[], append: boolean, last: boolean }} Step
 * @typedef {{ text: string, parts: Part[], resumed: boolean }} Turn
 *   `resumed` is true when the message continues a task that waits for input.
 * @typedef {{ pause: () => Promise<void>, canceled: Promise<void> }} Tools
 *   `pause` is what an agent waits for between two steps; `canceled` resolves when somebody cancels the task.
 * @typedef {(turn: Turn, tools: Tools) => AsyncGenerator<Step, void, void>} Behaviour
 * @typedef {{ id: string, name: string, description: string, tags: string[], examples: string[], run: Behaviour }} Skill
 */

/** The bytes of the file that `file` answers with: a 1×1 PNG, because it is not text in any encoding. */
export const PIXEL = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="),
  (char) => char.charCodeAt(0),
);

/** Where the file by reference of `file` lies. */
export const PIXEL_URI = "https://example.com/pixel.png";

/** The values of the data parts that `data` answers with: everything JSON has, not only objects. */
export const DATA_VALUES = [{ answer: 42, nested: { ok: true } }, ["a", 1, null], 3.5, "text", false, null];

const text = (value) => [{ text: value }];

/** @type {Behaviour} */
async function* echo(turn) {
  yield { type: "message", parts: turn.parts.length > 0 ? turn.parts : text("(nothing)") };
}

/** @type {Behaviour} */
async function* task(turn) {
  yield { type: "task", state: "working" };
  yield { type: "artifact", id: "echo", name: "echo", parts: turn.parts, append: false, last: true };
  yield { type: "status", state: "completed", parts: text("Done.") };
}

/** @type {Behaviour} */
async function* slow(_turn, { pause }) {
  yield { type: "task", state: "submitted" };
  yield { type: "status", state: "working", parts: text("Writing a poem.") };
  const lines = ["Two dialects met at a gate,\n", "one said “kind”, one said “case”;\n", "the gate let both in.\n"];
  for (const [index, line] of lines.entries()) {
    await pause();
    yield {
      type: "artifact", id: "poem", name: "poem.txt", parts: text(line),
      append: index > 0, last: index === lines.length - 1,
    };
  }
  await pause();
  yield { type: "status", state: "completed" };
}

/** @type {Behaviour} */
async function* ask(turn) {
  if (!turn.resumed) {
    yield { type: "task", state: "working" };
    yield { type: "status", state: "input-required", parts: text("What is your name?") };
    return;
  }
  yield { type: "task", state: "working" };
  yield { type: "artifact", id: "greeting", name: "greeting", parts: text(`Hello, ${turn.text}!`), append: false, last: true };
  yield { type: "status", state: "completed" };
}

/** @type {Behaviour} */
async function* wait(_turn, { canceled }) {
  yield { type: "task", state: "submitted" };
  yield { type: "status", state: "working", parts: text("Waiting until somebody cancels this task.") };
  await canceled;
}

/** @type {Behaviour} */
async function* fail() {
  yield { type: "task", state: "working" };
  yield { type: "status", state: "failed", parts: text("This one always fails.") };
}

/** @type {Behaviour} */
async function* file(turn) {
  const sent = turn.parts.filter((part) => part.bytes !== undefined || part.uri !== undefined);
  const own = [
    { bytes: PIXEL, name: "pixel.png", mediaType: "image/png" },
    { uri: PIXEL_URI, name: "pixel.png", mediaType: "image/png" },
  ];
  yield { type: "message", parts: sent.length > 0 ? sent : own };
}

/** @type {Behaviour} */
async function* data(turn) {
  const sent = turn.parts.filter((part) => part.data !== undefined);
  yield { type: "message", parts: sent.length > 0 ? sent : DATA_VALUES.map((value) => ({ data: value })) };
}

/** @type {Skill[]} The first word of a message chooses the behaviour; `echo` answers whatever names none. */
export const SKILLS = [
  { id: "echo", name: "Echo", description: "Answers with the parts it was sent.", tags: ["message"], examples: ["hello"], run: echo },
  { id: "task", name: "Echo as a task", description: "A completed task whose artifact is what it was sent.", tags: ["task"], examples: ["task hello"], run: task },
  { id: "slow", name: "Slow poem", description: "A task that streams an artifact in three chunks.", tags: ["task", "stream"], examples: ["slow"], run: slow },
  { id: "ask", name: "Ask back", description: "Needs your name before it can go on: send it with the taskId.", tags: ["task", "input-required"], examples: ["ask"], run: ask },
  { id: "wait", name: "Wait", description: "Works until it is cancelled.", tags: ["task", "cancel"], examples: ["wait"], run: wait },
  { id: "fail", name: "Fail", description: "A task that fails.", tags: ["task"], examples: ["fail"], run: fail },
  { id: "file", name: "File", description: "Sends your files back, or one of its own, by bytes and by URI.", tags: ["file"], examples: ["file"], run: file },
  { id: "data", name: "Data", description: "Sends your data parts back, or one of each JSON type.", tags: ["data"], examples: ["data"], run: data },
];

/**
 * The behaviour that a text asks for by its first word.
 * @param {string} text
 * @param {Skill[]} skills
 * @returns {Skill}
 */
export function choose(text, skills = SKILLS) {
  const word = text.trim().split(/\s/, 1)[0].toLowerCase();
  return skills.find((skill) => skill.id === word) ?? skills[0];
}
