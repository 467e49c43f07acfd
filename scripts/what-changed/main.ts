// Writes the facts of docs/what-changed-2026-07-28.md: node scripts/run-ts.mjs scripts/what-changed/main.ts
import { writeFileSync } from "node:fs";
import { pageFile, writtenPage } from "./page.js";

writeFileSync(pageFile, await writtenPage("."));
