/** What whoever waits for an instance gets when it has crashed. */
export const CRASHED = Symbol("crashed");

/** One WebAssembly instance, from its start to its crash. */
export class Instance {
  crashed = false;

  /**
   * Being told settles a promise and does nothing else: it happens inside the request that crashed, on whose behalf
   * the others can do nothing.
   * @type {Set<(crashed: typeof CRASHED) => void>}
   */
  #waiting = new Set();

  /** Tells all that wait, and all that will. */
  crash() {
    this.crashed = true;
    for (const tell of this.#waiting) tell(CRASHED);
    this.#waiting.clear();
  }

  /**
   * What `call` gives, or `CRASHED` if the instance has crashed or crashes before.
   * @template T
   * @param {() => Promise<T>} call
   * @returns {Promise<T | typeof CRASHED>}
   */
  async unlessCrashed(call) {
    if (this.crashed) return CRASHED;
    /** @type {(crashed: typeof CRASHED) => void} */
    let tell = () => {};
    try {
      return await new Promise((resolve, reject) => {
        tell = resolve;
        this.#waiting.add(tell);
        call().then(resolve, reject);
      });
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) this.crash();
      if (this.crashed) return CRASHED;
      throw error;
    } finally {
      this.#waiting.delete(tell);
    }
  }
}
