// What the test suites need from here.
export { startGateway, startSampleAgent } from "./gateway.mjs";
export { ROOT, Problem, portIsFree, run, startService } from "./process.mjs";
