// All client drivers by name.
import { connectJs03 } from "./js-client-03.mjs";
import { connectJs1 } from "./js-client-1.mjs";
import { connectPython } from "./py-client.mjs";

export const CLIENTS = {
  "js-1": { title: "@a2a-js/sdk 1.3.0 client", version: "1.0", connect: connectJs1 },
  "js-03": { title: "@a2a-js/sdk 0.3.14 client", version: "0.3", connect: connectJs03 },
  "py-1": { title: "Python a2a-sdk 1.3 client", version: "1.0", connect: (url, options) => connectPython("1", url, options) },
  "py-03": { title: "Python a2a-sdk 0.3 client", version: "0.3", connect: (url, options) => connectPython("03", url, options) },
};
