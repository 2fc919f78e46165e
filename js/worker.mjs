// The Worker's entry: the WebAssembly module, its glue and what keeps it alive.
import wasm from "../build/worker_bg.wasm";
import * as glue from "../build/worker.js";
import { survivor } from "./worker/survivor.mjs";

export default survivor(glue, wasm);
