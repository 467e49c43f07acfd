// Writes docs/rules.md from the rule table: node scripts/run-ts.mjs scripts/rules.ts
import { writeFileSync } from "node:fs";
import { rulesManual } from "./rules-manual.js";

writeFileSync("docs/rules.md", rulesManual());
