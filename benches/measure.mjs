// Times contenders on one payload, interleaved, so that whatever else the machine does hits all of them alike.

/** @typedef {{ name: string, run: () => void }} Timed */

/**
 * Median nanoseconds of one run, by contender.
 * @param {Timed[]} contenders
 * @param {{ rounds: number, batchMs: number, warmMs: number }} effort
 */
export function measure(contenders, { rounds, batchMs, warmMs }) {
  const plans = contenders.map((contender) => ({ ...contender, runs: warmUp(contender.run, warmMs, batchMs), times: /** @type {number[]} */ ([]) }));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < plans.length; i++) {
      const plan = /** @type {typeof plans[number]} */ (plans[(i + round) % plans.length]);
      const start = process.hrtime.bigint();
      for (let run = 0; run < plan.runs; run++) plan.run();
      plan.times.push(Number(process.hrtime.bigint() - start) / plan.runs);
    }
  }
  return Object.fromEntries(plans.map(({ name, times }) => [name, median(times)]));
}

/** Runs for a while and says how many runs fill a batch. @param {() => void} run @param {number} warmMs @param {number} batchMs */
function warmUp(run, warmMs, batchMs) {
  const start = performance.now();
  let runs = 0;
  let last = 0;
  do {
    const before = performance.now();
    run();
    last = performance.now() - before;
    runs += 1;
  } while (performance.now() - start < warmMs || runs < 3);
  const average = Math.max(Math.min(last, (performance.now() - start) / runs), 1e-4);
  return Math.max(1, Math.round(batchMs / average));
}

/** @param {number[]} values */
function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = NaN, high = NaN] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
  return (low + high) / 2;
}
