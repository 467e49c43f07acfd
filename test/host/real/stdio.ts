import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { withMessages } from "../../../generator/capture/messages.js";
import { replaced } from "../../../generator/capture/server-link.js";
import type { Case } from "../../support/host-cases.js";
import { probe } from "../../support/hosts/probe.js";

// The probe as a program: the port that hears what it sees, a file of cases, revisions with commas between, milliseconds until it answers.
const [port = "", file = "", speaks = "", startsIn = "0"] = process.argv.slice(2);
const report = connect(Number(port), "127.0.0.1").unref();
const cases = JSON.parse(readFileSync(file, "utf8")) as Case[];
const server = probe({
  see: (seen) => report.write(`${JSON.stringify(seen)}\n`),
  cases,
  ...(speaks !== "" && { speaks: speaks.split(",") }),
});

/** A tool without the members that are null. */
const withoutNulls = (tool: unknown): unknown =>
  JSON.parse(JSON.stringify(tool, (_, value: unknown) => (value === null ? undefined : value)));

/** Lists the cases with the members that are null: other servers send them, ours leaves them out where it lowers to an older revision. */
function withNulls(message: JsonObject): JsonObject {
  const { result = null } = message;
  if (!isJsonObject(result) || !Array.isArray(result["tools"])) return message;
  const tools = result["tools"].map((sent) => {
    const given = cases.find(({ tool }) => isJsonObject(sent) && tool.name === sent["name"])?.tool;
    return given && isDeepStrictEqual(withoutNulls(sent), withoutNulls(given)) ? given : sent;
  });
  return { ...message, result: { ...result, tools: tools as JsonValue } };
}

await setTimeout(Number(startsIn));
serveStdio({
  connect(channel, options) {
    const send = (text: string): void => channel.send(withMessages(text, withNulls)!);
    return server.connect(replaced(channel, { send }), options);
  },
});
