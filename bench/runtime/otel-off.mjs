// Measures the cost of OpenTelemetry for a server that does not use it: the added CPU time of a call over
// stdio and HTTP, as a share of the floor, the cheapest possible program. The bar is 1 % of the floor. Usage:
// npm run build && node bench/runtime/otel-off.mjs [stdio or HTTP]
import { fileURLToPath } from "node:url";
import { contenders, floor, modern } from "./contenders.mjs";
import { HttpUnderTest } from "./http-under-test.mjs";
import { requestLine } from "./messages.mjs";
import { pinToOneCore } from "./pinning.mjs";
import { ProcessUnderTest } from "./process-under-test.mjs";

pinToOneCore();

const rounds = Number(process.env.ROUNDS ?? 41);
const calls = Number(process.env.CALLS ?? 4000);
const inFlight = 64;
const environment = { NODE_ENV: "production" };
const line = requestLine("tools/call", { name: "echo", arguments: { message: "hello" } }, modern);
const server = fileURLToPath(new URL("servers/ours-otel.mjs", import.meta.url));
const byHand = contenders().find(({ name }) => name === floor);

const without = "without OpenTelemetry";
const rows = [
  ["floor"],
  [without, []],
  ["the same again (error of measurement)", []],
  ["instrumented, and removed", ["--otel=removed"]],
  ["API alone", ["--otel=alone"]],
];

/** Opens a program over stdio. @returns `cost`, which makes calls and returns their cost, and `end` */
async function overStdio(options) {
  const [file, more] = options ? [server, options] : [byHand.server, []];
  const opened = new ProcessUnderTest(file, { environment, options: ["--stdio", ...more] });
  const cost = async (count) => {
    const before = await opened.cpu();
    await opened.exchange(line, count, inFlight);
    return ((await opened.cpu()) - before) / count;
  };
  await opened.exchange(line, 1, 1);
  return { cost, end: () => opened.end() };
}

async function overHttp(options) {
  const http = options ? { server, options, environment } : { ...byHand.http, environment };
  const opened = await HttpUnderTest.open({ http }, { revision: modern, responses: "json" }, inFlight);
  return { cost: (count) => opened.cost(line, count), end: () => opened.end() };
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/**
 * Prints the difference of each row to the row without OpenTelemetry in the same round, as the median of all
 * rounds.
 */
async function measure(title, open) {
  const opened = [];
  for (const [name, options] of rows) {
    const each = await open(options);
    // Calls follow at once: a server closes a new connection that stays silent.
    await each.cost(5 * calls);
    opened.push({ name, ...each, costs: [] });
  }
  for (let round = 0; round < rounds; round++)
    for (let step = 0; step < opened.length; step++) {
      const { cost, costs } = opened[(step + round) % opened.length];
      costs.push(await cost(calls));
    }
  for (const { end } of opened) await end();
  const [least, base, ...others] = opened;
  const floorCost = median(least.costs);
  console.log(`${title}: floor ${floorCost.toFixed(2)} µs, ${base.name} ${median(base.costs).toFixed(2)} µs`);
  for (const { name, costs } of others) {
    const more = median(costs.map((cost, round) => cost - base.costs[round]));
    console.log(
      `${more.toFixed(2).padStart(7)} µs ${((100 * more) / floorCost).toFixed(1).padStart(6)} %  ${name}`,
    );
  }
}

const only = process.argv[2];
if (only !== "HTTP") await measure("stdio", overStdio);
if (only !== "stdio") await measure("HTTP", overHttp);
