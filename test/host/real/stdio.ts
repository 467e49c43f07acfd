import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { serveStdio } from "@mcpgen/runtime/stdio";
import type { Case } from "../../support/host-cases.js";
import { probe } from "../../support/hosts/probe.js";

// The probe as a program: the port that hears what it sees, a file of cases, revisions with commas between.
const [port = "", file = "", speaks = ""] = process.argv.slice(2);
const report = connect(Number(port), "127.0.0.1").unref();
serveStdio(
  probe({
    see: (seen) => report.write(`${JSON.stringify(seen)}\n`),
    cases: JSON.parse(readFileSync(file, "utf8")) as Case[],
    ...(speaks !== "" && { speaks: speaks.split(",") }),
  }),
);
