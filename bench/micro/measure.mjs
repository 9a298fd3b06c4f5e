// Shared by the benches of this folder: how time is taken and shown.

const ROUNDS = 5;
const ROUND_MS = 40;

/** Nanoseconds of a call, the best of some rounds: the least disturbed one. */
export function nanoseconds(work) {
  const begun = performance.now();
  while (performance.now() - begun < ROUND_MS) work();
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    let count = 0;
    do {
      work();
      count += 1;
    } while (performance.now() - started < ROUND_MS);
    best = Math.min(best, ((performance.now() - started) * 1e6) / count);
  }
  return best;
}

/**
 * Prints one table. Each row is `[name, make]`, where `make(factor)` gives `{ work, units }`: what is timed at that size, and
 * how many units (bytes, messages, calls) one run of it handles. `show` turns nanoseconds a unit into a figure.
 */
export function table(title, unit, rows, show = (ns) => ns) {
  const sizes = [1, 10, 100];
  console.log(
    `\n${title.padEnd(40)}${sizes.map((size) => `${size}x`.padStart(10)).join('')}   100x to 1x, time a unit`,
  );
  for (const [name, make] of rows) {
    const times = sizes.map((factor) => {
      const { work, units } = make(factor);
      return nanoseconds(work) / units;
    });
    const cells = times.map((ns) => figure(show(ns)).padStart(10)).join('');
    console.log(`${`  ${name}`.padEnd(40)}${cells} ${unit.padEnd(12)} ${(times[2] / times[0]).toFixed(2)}`);
  }
}

function figure(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
