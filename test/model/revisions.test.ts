import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { emitProtocolReport } from "../../generator/targets/typescript/protocol-report/emit.js";
import type { Method } from "../../generator/model/model.js";
import { loadTemplates } from "../../generator/print/templates.js";
import { methodOf, releasedModel } from "../support/models.js";
import { revisions } from "../support/revisions.js";

const models = await Promise.all(revisions.map(releasedModel));

describe("the models of the released revisions", () => {
  it("have the specification's numbers of methods, by sender and kind", () => {
    const counted = models.map(({ revision, methods }) => {
      const count = (sender: string, kind: Method["kind"]): number =>
        methods.filter((method) => method.kind === kind && method.senders.join("+") === sender).length;
      const row = (kind: Method["kind"]): number[] =>
        ["client", "server", "client+server"].map((sender) => count(sender, kind));
      return [
        revision,
        ...row("request"),
        ...row("notification"),
        methods.filter(({ payload }) => payload).length,
      ];
    });
    expect(counted).toEqual([
      // requests of client, server, both; notifications of client, server, both; payloads
      ["2024-11-05", 12, 2, 1, 2, 5, 2, 0],
      ["2025-03-26", 12, 2, 1, 2, 5, 2, 0],
      ["2025-06-18", 12, 3, 1, 2, 5, 2, 0],
      ["2025-11-25", 12, 3, 5, 2, 6, 3, 0],
      ["2026-07-28", 10, 3, 0, 0, 7, 1, 3],
    ]);
  });

  it.each(models.map((model) => [model.revision, model] as const))(
    "%s is described as generated/ says",
    (revision, model) => {
      const surroundings = {
        folder: revision,
        origin: `schema/${revision}`,
        importExtension: "js" as const,
        render: loadTemplates(),
      };
      const report = emitProtocolReport({ model, ...surroundings }).get(`${revision}/PROTOCOL.md`)!.content;
      const methods = (text: string): string => text.slice(0, text.indexOf("\n## Definitions"));
      expect(methods(report)).toBe(methods(readFileSync(`generated/${revision}/PROTOCOL.md`, "utf8")));
    },
  );

  it("belong to the era of their opening", () => {
    expect(models.map(({ era }) => era)).toEqual(["legacy", "legacy", "legacy", "legacy", "modern"]);
  });

  it("need no assumptions: schema and notes state everything", () => {
    expect(models.flatMap(({ assumptions }) => assumptions)).toEqual([]);
  });

  it("know the requests inside results if servers do not send requests", () => {
    const modern = models.at(-1)!;
    const embedded = modern.methods.filter(({ payload }) => payload);
    expect(
      embedded.map(({ name, kind, senders, result }) => [name, kind, senders, result?.definition]),
    ).toEqual([
      ["elicitation/create", "request", ["server"], "ElicitResult"],
      ["roots/list", "request", ["server"], "ListRootsResult"],
      ["sampling/createMessage", "request", ["server"], "CreateMessageResult"],
    ]);
    expect(modern.methods.filter(({ multiRoundTrip }) => multiRoundTrip).map(({ name }) => name)).toEqual([
      "prompts/get",
      "resources/read",
      "tools/call",
    ]);
    expect(
      models.map(({ methods }) => methods.flatMap(({ name, listening }) => (listening ? name : []))),
    ).toEqual([[], [], [], [], ["subscriptions/listen"]]);
    expect(methodOf(modern, "notifications/cancelled")).toMatchObject({
      message: "CancelledNotification",
      senders: ["client", "server"],
    });
  });

  it("pair tools/call of 2025-11-25 with the task it may become", () => {
    const model = models[3]!;
    expect(methodOf(model, "tools/call").result).toEqual({
      definition: "CallToolResult",
      alternatives: [
        {
          definition: "CreateTaskResult",
          discriminator: { key: "task" },
          capability: "/tasks/requests/tools/call",
        },
      ],
    });
  });

  it("pass ownership on to extending definitions", () => {
    const { owned } = models.at(-1)!;
    expect([...owned.get("CallToolRequestParams")!].sort()).toEqual(["inputResponses", "requestState"]);
    expect([...owned.get("ListToolsResult")!].sort()).toEqual(["cacheScope", "resultType", "ttlMs"]);
    expect(owned.has("ElicitResult")).toBe(false);
  });

  it("name the definitions that fix an error code", () => {
    const { errors } = models.at(-1)!;
    expect(errors.find(({ code }) => code === -32022)).toMatchObject({
      name: "UNSUPPORTED_PROTOCOL_VERSION",
      http: 400,
      definition: "UnsupportedProtocolVersionError",
    });
  });
});
