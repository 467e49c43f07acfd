// What is wrong with a value, judged by the shape it should have. Loaded only
// after a validator has said no: made to be clear and small, not fast.
import type { Issue, Texts } from "./issues/report.js";
import { describe } from "./issues/search.js";
import type { Named } from "./issues/shape.js";

export { type Issue, type Texts, summary } from "./issues/report.js";
export type { Named, Part, Shape } from "./issues/shape.js";

/** Issues that are collected before the search ends. */
const enough = 16;

/**
 * What is wrong with `value`: nothing, if it is what `definition` describes, to
 * the letter or, in the open reading, as a tolerant reader takes it.
 */
export function findIssues(
  value: unknown,
  definition: Named,
  reading?: "open",
  texts: Texts = {},
): Issue[] {
  const issues: Issue[] = [];
  const open = reading === "open";
  describe(
    {
      describe,
      issues,
      limit: enough,
      path: [],
      level: 0,
      trials: 0,
      open,
      texts,
    },
    value,
    definition,
  );
  return issues;
}
