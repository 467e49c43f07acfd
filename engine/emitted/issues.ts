// Finds the issues of a value by the shape of its definition. It is loaded only
// after a validator has refused a value: it is clear and small, not fast.
import type { Issue, Texts } from "./issues/report.js";
import { describe } from "./issues/search.js";
import type { Named } from "./issues/shape.js";

export { type Issue, type Texts, summary } from "./issues/report.js";
export type { Named, Part, Shape } from "./issues/shape.js";

/** Issues that are collected before the search ends. */
const enough = 16;

/**
 * The issues of `value`, in the exact or the open reading of `definition`; none
 * if the value is valid.
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
