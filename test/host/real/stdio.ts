import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { withMessages } from "../../../generator/capture/messages.js";
import { replaced } from "../../../generator/capture/server-link.js";
import type { Case } from "../../support/host-cases.js";
import { probe } from "../../support/hosts/probe.js";

// The probe as a program: the port that hears what it sees, a file of cases, revisions with commas between.
const [port = "", file = "", speaks = ""] = process.argv.slice(2);
const report = connect(Number(port), "127.0.0.1").unref();
const cases = JSON.parse(readFileSync(file, "utf8")) as Case[];
const server = probe({
  see: (seen) => report.write(`${JSON.stringify(seen)}\n`),
  cases,
  ...(speaks !== "" && { speaks: speaks.split(",") }),
});

/** Lists the cases as they stand: what is lowered to an older revision loses members that are null. */
function asTheyStand(message: JsonObject): JsonObject {
  const { result = null } = message;
  const tools = isJsonObject(result) ? result["tools"] : undefined;
  if (!Array.isArray(tools)) return message;
  const given = cases.map(({ tool }) => tool);
  const names = new Set<unknown>(given.map(({ name }) => name));
  const own = tools.filter((tool) => !isJsonObject(tool) || !names.has(tool["name"]));
  return {
    ...message,
    result: { ...(result as JsonObject), tools: [...own, ...given] } as unknown as JsonObject,
  };
}

serveStdio({
  connect(channel, options) {
    const send = (text: string): void => channel.send(withMessages(text, asTheyStand)!);
    return server.connect(replaced(channel, { send }), options);
  },
});
