import { expect, test } from "vitest";
import { clientRows, rowsWithoutRule, rulesByRevision } from "../../support/auth/rows.js";
import { clientRules, tryRule } from "./client-rules.js";
import { ourAgent } from "./client-world.js";

test.each(rulesByRevision(clientRules, clientRows))("%s client: %s (%s)", async (_, __, revision, rule) => {
  await tryRule(rule, ourAgent, revision);
});

test("each row of the checklist has a rule", () => {
  // Its test: stdio.test.ts.
  expect(rowsWithoutRule(clientRules, clientRows)).toEqual(["AUTHC-14"]);
});
