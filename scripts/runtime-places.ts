// Writes lists of the runtime's files that name each method and each member: node scripts/run-ts.mjs
// scripts/runtime-places.ts
import { writeFileSync } from "node:fs";
import { namedInRuntime, placesFile } from "./named-in-runtime.js";

writeFileSync(placesFile, await namedInRuntime());
