// Writes which files of the runtime name which methods and members: node scripts/run-ts.mjs scripts/runtime-places.ts
import { writeFileSync } from "node:fs";
import { namedInRuntime, placesFile } from "./named-in-runtime.js";

writeFileSync(placesFile, await namedInRuntime());
