// Runs a service of four nodes under load and faults, and writes a report:
// npm run soak -- [--minutes 240] [--seed 1] [--pause 500] [--every 20] [--out FOLDER]
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { noRedis } from "../../engines/redis.mjs";
import { writeReport } from "./report.mjs";
import { soak } from "./soak.mjs";

const usage = `npm run soak -- [options]
  --minutes N  how long (default 240)
  --seed N     draws calls and faults (default 1)
  --pause N    milliseconds between two calls of a client, in the mean (default 500)
  --every N    seconds between two faults, in the mean (default 20)
  --out DIR    folder of the report (default: soak-report)`;

const options = read();
if (noRedis) fail(`soak: ${noRedis}. Install Redis 7 or later.`);
const { minutes, seed, pause, every, out } = options;
const result = await soak({
  ms: minutes * 60_000,
  seed,
  pauseMs: pause,
  everyMs: every * 1000,
  hangMs: 5000,
  log: console.log,
});
const settings = { minutes, seed, pause, every, cores: availableParallelism(), node: process.version };
writeReport(out, { ...result, settings });
const { broken, brokenCount } = result.record;
for (const line of broken) console.error(`broken: ${line}`);
console.log(
  `${out}/report.md: ${brokenCount === 0 ? "no rule was broken" : `${brokenCount} times a rule was broken`}`,
);
process.exit(brokenCount === 0 ? 0 : 1);

function read() {
  const string = (value) => ({ type: "string", default: value });
  const definitions = {
    minutes: string("240"),
    seed: string("1"),
    pause: string("500"),
    every: string("20"),
    out: string("soak-report"),
  };
  let values;
  try {
    ({ values } = parseArgs({ options: definitions }));
  } catch (error) {
    fail(`soak: ${error.message}\n${usage}`);
  }
  const numbers = Object.entries(values).map(([name, value]) => {
    if (name === "out") return [name, value];
    if (!(Number(value) > 0))
      fail(`soak: --${name} is a number above 0, not ${JSON.stringify(value)}\n${usage}`);
    return [name, Number(value)];
  });
  return Object.fromEntries(numbers);
}

function fail(text) {
  console.error(text);
  process.exit(2);
}
