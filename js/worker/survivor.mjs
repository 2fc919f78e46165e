// A panic or trap leaves a WebAssembly instance that never answers again, and with it every request and stream in
// flight. Here they get an answer or a last event, and the next request gets a new instance.
import { crashResponse } from "./crash-response.mjs";
import { withErrorEvent } from "./event-stream.mjs";
import { CRASHED, Instance } from "./instance.mjs";

/**
 * What wasm-bindgen generates from src/worker.
 * @typedef {object} Glue
 * @property {(init: { module: WebAssembly.Module }) => unknown} initSync
 * @property {() => void} __wbg_reset_state makes a new instance
 * @property {(request: Request, env: any, ctx: any) => Promise<any>} fetch
 */

/**
 * The Worker's handlers over an instance that is replaced when it crashes.
 * @param {Glue} glue
 * @param {WebAssembly.Module} module
 */
export function survivor(glue, module) {
  let instance = new Instance();

  // Called by src/worker out of the dying instance, which can make this one call only.
  Object.assign(globalThis, {
    a2aCompatCrashed() {
      console.error(JSON.stringify({ time: new Date().toISOString(), level: "error", message: "the WebAssembly instance crashed" }));
      instance.crash();
    },
  });
  glue.initSync({ module });

  return {
    /**
     * @param {Request} request
     * @param {unknown} env
     * @param {unknown} ctx
     * @returns {Promise<Response>}
     */
    async fetch(request, env, ctx) {
      if (instance.crashed) {
        glue.__wbg_reset_state();
        instance = new Instance();
      }
      const response = await instance.unlessCrashed(() => glue.fetch(request, env, ctx));
      if (response === CRASHED) return crashResponse(request);
      // Set by src/worker on a stream that it translates: the SSE event that ends it if the instance crashes.
      const { errorEvent } = response;
      return errorEvent === undefined ? response : withErrorEvent(response, errorEvent, instance);
    },
  };
}
