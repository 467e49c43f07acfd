import { contradictionRules } from "./contradictions.js";
import { keywordRules } from "./keywords.js";
import { nameRules } from "./names.js";
import { patternRules } from "./patterns.js";
import type { LintRule } from "./rule.js";
import { scopeRules } from "./scopes.js";
import { structureRules } from "./structure.js";
import { taskRules } from "./tasks.js";
import { unionRules } from "./unions.js";

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
