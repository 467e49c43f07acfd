import { test } from "vitest";
import { clientRules, tryRule } from "./client-rules.js";
import { ourAgent } from "./client-world.js";

test.each(clientRules.map((rule) => [rule.id, rule.text, rule] as const))("%s: %s", async (_, __, rule) => {
  await tryRule(rule, ourAgent);
});
