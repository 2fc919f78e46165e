// The client's side of a translated stream: it can still send an event when the instance that translates has crashed.
import { CRASHED } from "./instance.mjs";

/**
 * The same response, whose stream ends with `errorEvent` if the instance crashes.
 * A chunk is asked for when the client takes one, and a client that leaves cancels the translation.
 * @param {Response} response
 * @param {string} errorEvent one SSE event with its blank line
 * @param {import("./instance.mjs").Instance} instance
 * @returns {Response}
 */
export function withErrorEvent(response, errorEvent, instance) {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream(
    {
      async pull(controller) {
        const chunk = await instance.unlessCrashed(() => reader.read());
        if (chunk === CRASHED) {
          controller.enqueue(new TextEncoder().encode(errorEvent));
          controller.close();
        } else if (chunk.done) {
          controller.close();
        } else {
          controller.enqueue(chunk.value);
        }
      },
      cancel: (reason) => (instance.crashed ? undefined : reader.cancel(reason)),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
