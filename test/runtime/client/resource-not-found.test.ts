import { expect, test } from "vitest";
import * as http from "../../support/scripted-http-server.js";
import { connected, failure } from "../../support/scripted-stdio-server.js";
import { everyWay } from "../../support/asked-client.js";
import { failureOf } from "../../support/failure-of.js";

const uri = "file:///absent";

/** Errors of servers by era, and their meaning. */
const answers = [
  [{ code: -32002, message: "gone", data: { uri } }, "resource-not-found"],
  [{ code: -32002, message: "gone" }, "resource-not-found"],
  [{ code: -32602, message: "gone", data: { uri } }, "resource-not-found"],
  [{ code: -32602, message: "wrong" }, "remote-error"],
  [{ code: -32602, message: "wrong", data: { uri: 5 } }, "remote-error"],
  [{ code: -32602, message: "wrong", data: uri }, "remote-error"],
  [{ code: -32603, message: "broken", data: { uri } }, "remote-error"],
] as const;

test.each(everyWay)(
  "a resource that does not exist is reported as such by servers of any era (%s, %s)",
  async (revision, transport) => {
    for (const [error, code] of answers) {
      const { message, data } = error as { message: string; data?: unknown };
      const script = { "resources/read": () => failure(error.code, message, data) };
      const posted = {
        "resources/read": (incoming: http.Incoming) =>
          incoming.json(incoming.answer({ error }), revision > "2026" ? 400 : 200),
      };
      const { client } =
        transport === "stdio" ? await connected(revision, script) : await http.connected(revision, posted);
      expect(await failureOf(client.readResource(uri)), JSON.stringify(error)).toMatchObject({
        name: "McpError",
        code,
        rpcCode: error.code,
      });
    }
  },
);

test("a tool error about a URI is not resource-not-found", async () => {
  const { client } = await connected("2026-07-28", { "tools/call": () => failure(-32602, "wrong", { uri }) });
  expect(await failureOf(client.callTool("x", { uri }))).toMatchObject({ code: "remote-error" });
});
