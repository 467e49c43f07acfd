/** Validates each of `values` once. It counts the accepted values, so that the work is not optimised away. */
function pass(validate, values) {
  let accepted = 0;
  for (let index = 0; index < values.length; index++) if (validate(values[index])) accepted++;
  return accepted;
}

/** The CPU time of this process: other work on the machine does not count. */
function nanoseconds(validate, values, passes) {
  const start = process.cpuUsage();
  let accepted = 0;
  for (let index = 0; index < passes; index++) accepted += pass(validate, values);
  const { user, system } = process.cpuUsage(start);
  if (accepted < 0) throw new Error("unreachable");
  return ((user + system) * 1000) / (passes * values.length);
}

/** The number of passes that take about `milliseconds`. */
function passesFor(validate, values, milliseconds) {
  let passes = 1;
  for (;;) {
    const spent = nanoseconds(validate, values, passes) * passes * values.length;
    if (spent > milliseconds * 1e6) return passes;
    passes *= 2;
  }
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

export function geometricMean(numbers) {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length);
}

/** The number of `values` for which a contender's verdict differs from the expected one. */
export function wrongVerdicts(validate, { values, expected }) {
  return values.filter((value) => validate(value) !== expected).length;
}

/**
 * Measures nanoseconds for each verdict, by contender. All contenders take turns, `rounds` times, in rotating
 * order, so that disturbances of the machine affect all equally, and the median counts. Compilers work on
 * threads of the same process, so the first two rounds are not counted.
 */
export function measure(contenders, values, { rounds, milliseconds }) {
  const passes = contenders.map(([, validate]) => passesFor(validate, values, milliseconds));
  const samples = contenders.map(() => []);
  for (let round = -2; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (turn + round + 2) % contenders.length;
      const spent = nanoseconds(contenders[index][1], values, passes[index]);
      if (round >= 0) samples[index].push(spent);
    }
  }
  return new Map(contenders.map(([name], index) => [name, median(samples[index])]));
}
