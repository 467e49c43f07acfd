// Writes docs/errors.md from the catalogues of error codes: node scripts/run-ts.mjs scripts/errors.ts
import { writeFileSync } from "node:fs";
import { errorList } from "./error-manual.js";

writeFileSync("docs/errors.md", errorList());
