import { expect, onTestFinished, test } from "vitest";
import { McpError, connect } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { isThorough } from "../../support/cases.mjs";
import {
  type Members,
  ScriptedPeer,
  type Wired,
  base,
  connected,
} from "../../support/scripted-stdio-server.js";
import * as http from "../../support/scripted-http-server.js";
import { everyWay } from "../../support/asked-client.js";
import { failureOf } from "../../support/failure-of.js";

/** Deeper than any stack. */
const depth = isThorough ? 200_000 : 20_000;
const ways = everyWay.filter(
  ([revision, transport]) =>
    isThorough || revision > "2026" || (revision > "2025-11" && transport === "stdio"),
);
const list = "[".repeat(depth) + "]".repeat(depth);
const object = '{"a":'.repeat(depth) + "1" + "}".repeat(depth);
const deep = '"DEEP"';

/** Answers, each with a place for what is nested deeply. */
const answers: readonly (readonly [string, Members])[] = [
  ["tools/call", { result: { content: [{ type: "text", text: "DEEP" }] } }],
  ["tools/call", { result: { content: [], structuredContent: { a: "DEEP" } } }],
  ["tools/call", { result: { content: "DEEP" } }],
  ["tools/call", { result: "DEEP" }],
  ["tools/call", { result: { content: [], _meta: "DEEP" } }],
  ["tools/call", { result: { content: [], resultType: "DEEP" } }],
  ["tools/call", { result: { resultType: "input_required", inputRequests: "DEEP" } }],
  ["tools/call", { result: { resultType: "input_required", inputRequests: { a: "DEEP" } } }],
  [
    "tools/call",
    {
      result: {
        resultType: "input_required",
        inputRequests: {
          a: { method: "elicitation/create", params: { message: "?", requestedSchema: "DEEP" } },
        },
      },
    },
  ],
  ["tools/call", { error: { code: -32000, message: "x", data: "DEEP" } }],
  ["tools/call", { error: "DEEP" }],
  ["resources/read", { result: { contents: [{ uri: "a:/", text: "", _meta: "DEEP" }] } }],
  ["resources/read", { result: { contents: [{ uri: "DEEP", text: "" }] } }],
  ["tools/list", { result: { tools: [{ name: "a", inputSchema: "DEEP" }] } }],
  [
    "tools/list",
    { result: { tools: [{ name: "a", inputSchema: { type: "object", properties: { a: "DEEP" } } }] } },
  ],
  ["tools/list", { result: { tools: "DEEP", nextCursor: "1" } }],
  ["tools/list", { result: { tools: ["DEEP"], nextCursor: "1" } }],
];

test.each(ways)(
  "deeply nested answers lead to a result or an McpError (%s, %s)",
  async (revision, transport) => {
    const rejections: unknown[] = [];
    const hear = (reason: unknown): void => void rejections.push(reason);
    process.on("unhandledRejection", hear);
    onTestFinished(() => void process.off("unhandledRejection", hear));
    let answer = "";
    const textOf = (id: unknown): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${answer.slice(1)}`;
    const methods = ["tools/call", "tools/list", "resources/read"];
    const elicit = () => ({ action: "decline" as const });
    const { client } =
      transport === "stdio"
        ? await connected(
            revision,
            Object.fromEntries(
              methods.map((method) => [
                method,
                ({ id }, own) => {
                  own.notify("notifications/message", { level: "info", data: "before" });
                  own.write(
                    `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":${list}}}\n`,
                  );
                  own.write(`${textOf(id)}\n`);
                  return undefined;
                },
              ]),
            ),
            { elicit },
          )
        : await http.connected(
            revision,
            Object.fromEntries(
              methods.map((method) => [
                method,
                (incoming) =>
                  incoming.status(200, textOf(incoming.message!.id), { "content-type": "application/json" }),
              ]),
            ),
            { elicit },
          );
    for (const [method, template] of answers)
      for (const nested of isThorough ? [list, object] : [list]) {
        const whole: Members =
          template["result"] instanceof Object && revision > "2026"
            ? {
                result: {
                  resultType: "complete",
                  ttlMs: 1000,
                  cacheScope: "private",
                  ...(template["result"] as Members),
                },
              }
            : template;
        answer = JSON.stringify(whole).replace(deep, () => nested);
        const failure = await failureOf(
          method === "tools/call"
            ? client.callTool("a")
            : method === "tools/list"
              ? client.listTools()
              : client.readResource("a:/"),
        );
        const what = `${method} ${JSON.stringify(template)}`;
        if (failure !== undefined) expect(failure, what).toBeInstanceOf(McpError);
      }
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejections).toEqual([]);
  },
);

test.each(["2025-11-25", "2026-07-28"])(
  "connecting to a server with a deeply nested description leads to a client or an McpError (%s)",
  async (revision) => {
    const result =
      revision < "2026"
        ? `{"protocolVersion":"${revision}","serverInfo":{"name":"x","version":"1"},"capabilities":`
        : `{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":["${revision}"],"capabilities":`;
    for (const capabilities of [list, object, `{"tools":${list}}`, `{"experimental":{"a":${object}}}`]) {
      const opening = ({ id }: Wired, own: ScriptedPeer) =>
        void own.write(
          `{"jsonrpc":"2.0","id":${String(id)},"result":${result}${capabilities}}}\n`,
        ) as undefined;
      const peer = new ScriptedPeer(revision, { initialize: opening, "server/discover": opening });
      const failure = await failureOf(connect(peer.channel, { ...base(new VirtualClock()), revision }));
      if (failure !== undefined) expect(failure).toBeInstanceOf(McpError);
    }
  },
);
