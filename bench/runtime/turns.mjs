/**
 * Lets all contenders take turns, `rounds` times, in rotating order; returns the median of each. If a turn
 * returns an object of numbers, each of its members has a median.
 */
export async function takeTurns(contenders, rounds, turn) {
  const samples = new Map(contenders.map((one) => [one.name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let step = 0; step < contenders.length; step++) {
      const one = contenders[(step + round) % contenders.length];
      samples.get(one.name).push(await turn(one));
    }
  }
  return new Map([...samples].map(([name, list]) => [name, middle(list)]));
}

function middle(samples) {
  if (typeof samples[0] === "number") return median(samples);
  const members = Object.keys(samples[0]).map((key) => [key, median(samples.map((one) => one[key]))]);
  return Object.fromEntries(members);
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
}
