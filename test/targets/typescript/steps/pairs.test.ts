import { expect, it } from "vitest";
import { format } from "../../../../generator/print/format.js";
import type { ProtocolModel } from "../../../../generator/model/model.js";
import { randomFrom } from "../../../../generator/sample/values.js";
import { releasedModel } from "../../../support/models.js";
import { cases, isThorough, seed } from "../../../support/cases.mjs";
import { stepFiles, stepsBetween } from "./between.js";
import {
  type PairSteps,
  Refusal,
  type Step,
  carriedBy,
  deepFrozen,
  isAccepted,
  listener,
  methodOf,
  sampleOf,
  stepFor,
  withOwned,
} from "./protocol.js";
import { revisions } from "../../../support/revisions.js";

const models = await Promise.all(revisions.map(releasedModel));
const count = cases(20, 2);

/** Converts values of all messages that both revisions may send from one to the other. */
function carryAll(
  steps: PairSteps,
  source: ProtocolModel,
  target: ProtocolModel,
  way: "lift" | "lower",
): number {
  let carriedOver = 0;
  for (const carried of carriedBy(source).filter((each) => methodOf(target, each))) {
    const random = randomFrom(`${seed}: ${source.revision} ${target.revision} ${JSON.stringify(carried)}`);
    for (let made = 0; made < count; made++) {
      const value = sampleOf(source, carried, random);
      const outcome = value && stepped(stepFor(steps, carried, way), deepFrozen(value));
      if (!outcome) continue;
      const accepted = isAccepted(target, carried, withOwned(target, carried, outcome as never));
      expect(
        accepted,
        `${JSON.stringify(carried)} from ${source.revision} to ${target.revision}: ${JSON.stringify(value)}`,
      ).toBe(true);
      carriedOver++;
    }
  }
  return carriedOver;
}

/** The value as a step converts it, or without a step; `undefined` if the step refuses it. */
function stepped(step: Step | undefined, value: object): object | undefined {
  try {
    return step ? step(value, listener()) : value;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** The minimum distance of compared revisions: any two in the long run, otherwise only the most different ones. */
const least = isThorough ? 1 : 4;

// Most of these revisions are not consecutive, and hardly any notes are about them.
const pairs = revisions.flatMap((older, index) =>
  revisions.filter((_, other) => Math.abs(index - other) >= least).map((newer) => [older, newer] as const),
);

it.each(pairs)(
  "steps between %s and %s hold, whichever is the older, and are printed as prettier would",
  async (older, newer) => {
    const [old, next] = [older, newer].map((revision) =>
      models.find((model) => model.revision === revision)!,
    ) as [ProtocolModel, ProtocolModel];
    const path = `${newer}/steps.ts`;
    const printed = stepFiles(old, next).get(path)!;
    if (least === 1) expect(await format(path, printed)).toBe(printed);
    const steps = await stepsBetween(old, next);
    expect(carryAll(steps, next, old, "lower")).toBeGreaterThan(5);
    expect(carryAll(steps, old, next, "lift")).toBeGreaterThan(5);
  },
);
