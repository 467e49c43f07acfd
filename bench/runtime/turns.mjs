/** Lets all contenders take turns, `rounds` times, in rotating order; returns the median of each. */
export async function takeTurns(contenders, rounds, turn) {
  const samples = new Map(contenders.map((one) => [one.name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let step = 0; step < contenders.length; step++) {
      const one = contenders[(step + round) % contenders.length];
      samples.get(one.name).push(await turn(one));
    }
  }
  return new Map([...samples].map(([name, list]) => [name, median(list)]));
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
}
