import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { expect, it } from "vitest";
import { planSteps } from "../../../../generator/targets/typescript/steps/methods.js";
import { lossyReshapes, refuseProblems } from "../../../../generator/targets/typescript/steps/problems.js";
import type { ProtocolModel } from "../../../../generator/model/model.js";
import { randomFrom } from "../../../../generator/sample/values.js";
import { sampleValid } from "../../../../generator/sample/sample.js";
import { cases, seed } from "../../../support/cases.mjs";
import { loaded } from "../emitted-output.js";
import { stepFiles } from "./between.js";
import { namedOutputs, newer } from "./named-outputs.js";
import { type Carried, type Steps, deepFrozen, isAccepted, listener, withOwned } from "./protocol.js";

const [old, next] = await namedOutputs();
const files = stepFiles(old, next);
const { clientSteps, serverSteps } = await loaded<{ clientSteps: Steps; serverSteps: Steps }>(
  files,
  `export { clientSteps, serverSteps } from "./${newer}/steps.js";`,
);
const count = cases(500, 60);

const carriedBy = (method: string): Carried => ({
  method,
  kind: "request",
  sender: "client",
  part: "result",
});

function samples(model: ProtocolModel, definition: string): JsonObject[] {
  const random = randomFrom(`${seed}: ${model.revision} ${definition}`);
  return Array.from({ length: count }, () => sampleValid(model.schema, definition, random) as JsonObject);
}

const results = [
  ["tools/call", "CallToolResult"],
  ["tools/list", "ListToolsResult"],
] as const;

it.each(results)(
  "results of %s get to the made-up revision and back, and nothing is lost",
  (method, definition) => {
    const [up, down] = [clientSteps.incomingResults.get(method)!, serverSteps.outgoingResults.get(method)!];
    const carried = carriedBy(method);
    for (const value of samples(old, definition)) {
      const report = listener();
      const lifted = up(deepFrozen(value), report) as JsonObject;
      const text = `${JSON.stringify(value)} → ${JSON.stringify(lifted)}`;
      expect(isAccepted(next, carried, withOwned(next, carried, lifted)), text).toBe(true);
      expect(down(deepFrozen(lifted), report), text).toEqual(value);
      expect(
        report.losses.filter(({ pointer }) => !pointer.endsWith("/variant")),
        text,
      ).toEqual([]);
    }
  },
);

it.each(results)(
  "results of %s of the made-up revision are valid at the one before",
  (method, definition) => {
    const down = serverSteps.outgoingResults.get(method)!;
    const carried = carriedBy(method);
    for (const value of samples(next, definition)) {
      const lowered = down(deepFrozen(value), listener()) as JsonValue;
      expect(isAccepted(old, carried, withOwned(old, carried, lowered)), JSON.stringify(lowered)).toBe(true);
    }
  },
);

it("the notes are proven", () => {
  expect(() => refuseProblems(planSteps(old, next), next, old, `schema/${newer}`)).not.toThrow();
  expect(lossyReshapes(old, next)).toEqual([]);
});

it("the steps are straight code", () => {
  const steps = files.get(`${newer}/steps.ts`)!;
  expect(steps).not.toMatch(/\$each|\$first|\$join|\beval\b|Function\(/);
  expect(steps).toContain('isAt(whole, ["structuredContent"])');
});
