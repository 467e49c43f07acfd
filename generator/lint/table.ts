import { contradictionRules, unionRules } from "./contradictions.js";
import { keywordRules } from "./keywords.js";
import { nameRules, scopeRules, taskRules } from "./tool.js";
import { patternRules } from "./patterns.js";
import type { LintRule } from "./rule.js";
import { structureRules } from "./structure.js";

/** Every rule of `mcpgen lint`, in the order of docs/lint.md. */
export const lintRules: readonly LintRule[] = [
  ...nameRules,
  ...structureRules,
  ...keywordRules,
  ...patternRules,
  ...contradictionRules,
  ...unionRules,
  ...scopeRules,
  ...taskRules,
];
