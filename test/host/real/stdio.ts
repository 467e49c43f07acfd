import { appendFileSync } from "node:fs";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { cases } from "./cases.js";
import { probe } from "./probe.js";

// The probe as a program: FILE for what it sees, places of the cases, revisions, both with commas between.
const [file = "", places = "", speaks = ""] = process.argv.slice(2);
serveStdio(
  probe({
    see: (seen) => appendFileSync(file, `${JSON.stringify(seen)}\n`),
    cases: places === "" ? [] : places.split(",").map((place) => cases[Number(place)]!),
    ...(speaks !== "" && { speaks: speaks.split(",") }),
  }),
);
