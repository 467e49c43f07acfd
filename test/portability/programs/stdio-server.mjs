// The server of the suite on standard input and output.
import "@mcpgen/runtime/stdio-guard";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { fixture } from "../suite/fixture.mjs";

serveStdio(fixture());
