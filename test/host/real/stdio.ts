import { connect } from "node:net";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { cases } from "../../support/host-cases.js";
import { probe } from "./probe.js";

// The probe as a program: the port that hears what it sees, places of the cases, revisions, both with commas between.
const [port = "", places = "", speaks = ""] = process.argv.slice(2);
const report = connect(Number(port), "127.0.0.1").unref();
serveStdio(
  probe({
    see: (seen) => report.write(`${JSON.stringify(seen)}\n`),
    cases: places === "" ? [] : places.split(",").map((place) => cases[Number(place)]!),
    ...(speaks !== "" && { speaks: speaks.split(",") }),
  }),
);
