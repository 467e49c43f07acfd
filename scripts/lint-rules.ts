// Writes docs/lint.md from the rule table: node scripts/run-ts.mjs scripts/lint-rules.ts
import { writeFileSync } from "node:fs";
import { lintManual } from "./lint-manual.js";

writeFileSync("docs/lint.md", lintManual());
