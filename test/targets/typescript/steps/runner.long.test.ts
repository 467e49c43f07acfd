import { expect, it } from "vitest";
import { planSteps } from "../../../../generator/targets/typescript/steps/methods.js";
import { PlanRunner } from "../../../../generator/targets/typescript/steps/runner.js";
import { randomFrom } from "../../../../generator/sample/values.js";
import { cases, seed } from "../../../support/cases.mjs";
import { carriedBy, deepFrozen, outcomeOf, sampleOf, stepFor, withStrays } from "./protocol.js";
import { later, models, stepsOf } from "./released.js";

/** Values of all params and results of messages. */
const count = cases(60, 6);

const strays = [
  "icons",
  "title",
  "_meta",
  "structuredContent",
  "type",
  "enum",
  "oneOf",
  "__proto__",
  "resultType",
];

it.each(later.map((revision, index) => [revision, index + 1] as const))(
  "the steps of %s do the same whether they are printed or run",
  (_, index) => {
    const [old, next] = [models[index - 1]!, models[index]!];
    const plan = planSteps(old, next);
    const seen = { compared: 0, changed: 0 };
    for (const way of ["lift", "lower"] as const) {
      const source = way === "lift" ? old : next;
      const runner = new PlanRunner(plan[way].planner.target);
      for (const carried of carriedBy(source)) {
        const steps = plan[way].methods.find(
          ({ method, kind, sender }) =>
            method === carried.method && kind === carried.kind && sender === carried.sender,
        );
        const planned = steps?.[carried.part];
        if (!planned) continue;
        const printed = stepFor(stepsOf(index), carried, way) ?? ((value: object) => value);
        const run = runner.place(planned);
        const random = randomFrom(`${seed}: ${index} ${way} ${JSON.stringify(carried)}`);
        for (let made = 0; made < count; made++) {
          const plain = sampleOf(source, carried, random);
          if (plain === undefined) continue;
          const value = made % 2 === 0 ? plain : withStrays(plain, strays, random);
          const expected = outcomeOf(printed, deepFrozen(value) as object);
          expect(
            outcomeOf((each, report) => run(each, report, ""), deepFrozen(value) as object),
            JSON.stringify({ way, carried, value }),
          ).toEqual(expected);
          seen.compared++;
          if ((expected as { value?: unknown }).value !== value) seen.changed++;
        }
      }
    }
    expect(seen.compared).toBeGreaterThan(100);
    expect(seen.changed).toBeGreaterThan(0);
  },
);
