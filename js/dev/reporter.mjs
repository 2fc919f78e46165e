// A node:test reporter for test.mjs, which runs one file at a time: a line of JSON per event that it counts or shows.
import { inspect } from "node:util";

/**
 * @typedef {{ kind: "pass" | "fail" | "skip", path: string[], reason?: string } | { kind: "output", text: string }} Event
 */

/** @param {AsyncIterable<{ type: string, data: any }>} source */
export default async function* reporter(source) {
  /** The names of the tests that have started and not ended, outermost first. @type {string[]} */
  let open = [];
  /** The nesting of the test that ended last: a test that ends after a deeper one held it. */
  let last = 0;
  for await (const { type, data } of source) {
    /** @type {Event | undefined} */
    let event;
    if (type === "test:start") {
      open = [...open.slice(0, data.nesting), data.name];
    } else if (type === "test:pass" || type === "test:fail") {
      event = result(type, data, last > data.nesting, open.slice(0, data.nesting));
      last = data.nesting;
    } else if (type === "test:stdout" || type === "test:stderr" || (type === "test:diagnostic" && data.file !== undefined)) {
      event = { kind: "output", text: data.message };
    }
    if (event !== undefined) yield `${JSON.stringify(event)}\n`;
  }
}

/**
 * Tests that only hold other tests are not counted, unless they fail by themselves.
 * @param {string} type
 * @param {any} data
 * @param {boolean} holdsTests
 * @param {string[]} parents
 * @returns {Event | undefined}
 */
function result(type, data, holdsTests, parents) {
  const { file, name, nesting, skip, todo, details } = data;
  const path = [...parents, name];
  if (skip !== undefined || todo !== undefined) {
    const reason = skip ?? todo;
    return { kind: "skip", path, reason: typeof reason === "string" ? reason : "no reason given" };
  }
  if (type === "test:fail") {
    const { error } = details;
    if (error?.failureType === "subtestsFailed") return undefined;
    return { kind: "fail", path, reason: inspect(error?.cause ?? error) };
  }
  // Node.js reports a file without tests as a test that passed.
  if (nesting === 0 && !holdsTests && name === file) return { kind: "fail", path, reason: "the file has no tests" };
  return holdsTests || details.type === "suite" ? undefined : { kind: "pass", path };
}
