// The behaviour suite of the `fetch` handler, in nothing but the standards of the web: it runs wherever there are
// `Request`, `Response`, streams and WebCrypto. A case may need
//   inside    separate servers in this program
//   sessions  clients of the legacy era with sessions
//   across    that one request reaches what another began
//   gone      that the platform notices a client that leaves before there is an answer
//   early     that an answer arrives which is given before the body of the request has ended
import { client } from "./client.mjs";
import { front } from "./front.mjs";
import { idle } from "./idle.mjs";
import { oneByOne, sessions } from "./legacy.mjs";
import { modern } from "./modern.mjs";
import { ports } from "./ports.mjs";
import { quiet } from "./quiet.mjs";
import { rounds } from "./rounds.mjs";
import { subscriptions } from "./subscriptions.mjs";
import { World } from "./world.mjs";

const cases = [
  ...front,
  ...modern,
  ...quiet,
  ...rounds,
  ...subscriptions,
  ...oneByOne,
  ...sessions,
  ...idle,
  ...client,
  ...ports,
];

/** Milliseconds after which a case has hung: failing is all this decides. */
const timeoutMs = 120_000;

/** All that a case may need. */
export const everything = ["inside", "sessions", "across", "gone", "early"];

/** The needs of each case, by name. */
export const needsOf = Object.fromEntries(cases.map(({ name, needs = [] }) => [name, needs.join(" ")]));

/**
 * Runs the possible cases, one after the other.
 *
 * @param has the needs that are met here
 * @param target a server that is reached from outside; without it each case makes its own
 * @returns by name, the error of each failed case, and `null` for each other case
 */
export function run(has, target = undefined) {
  const runnable = cases.filter(({ needs = [] }) => needs.every((need) => has.includes(need)));
  return outcomes(runnable, async (each) => {
    const world = new World(target);
    try {
      await each.run(world);
    } finally {
      await world.close();
    }
  });
}

/** Runs cases of any kind, and returns the outcome of each. */
export async function outcomes(all, start) {
  const report = {};
  for (const each of all) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`nothing happened for ${timeoutMs} ms`)), timeoutMs);
    });
    report[each.name] = await Promise.race([start(each), late]).then(
      () => null,
      (error) => String(error?.stack ?? error),
    );
    clearTimeout(timer);
  }
  return report;
}
