import { describe, expect, test } from "vitest";
import { extensionOver } from "../../generator/extension/load-extension.js";
import { type ExtensionModel, modelOfRole } from "../../generator/model/extension-model.js";
import { failureOf } from "../support/failure-of.js";
import { releasedModel } from "../support/models.js";
import { bases, desk, handshake, sent } from "./desk-extension.js";
import { type ExtensionText, sourceOf } from "./models.js";

const over = async (base: string, change: Partial<ExtensionText> = {}): Promise<ExtensionModel> =>
  extensionOver(await sourceOf({ ...desk, ...change }), await releasedModel(base));

describe.each(bases)("a channel over %s", (base) => {
  test("each role sends and receives the methods that notes name", async () => {
    const model = await over(base);
    const of = (role: string, side: "client" | "server"): string[] =>
      modelOfRole(model, model.channel!, role).methods.flatMap(({ name, senders }) =>
        senders.includes(side) ? [name] : [],
      );
    expect({ sends: of("pen", "client"), receives: of("pen", "server") }).toEqual({
      sends: ["desk/find", "desk/hello", "notifications/desk/ready", "tools/call"],
      receives: ["notifications/desk/shown", "tools/call"],
    });
    expect({ sends: of("lamp", "client"), receives: of("lamp", "server") }).toEqual({
      sends: ["desk/blink", "tools/list"],
      receives: ["desk/light"],
    });
  });

  test("a method travels between the sides only with a note of kind sender", async () => {
    const { methods, assumptions } = await over(base);
    expect(methods.map(({ name }) => name)).toEqual(["desk/find"]);
    expect(assumptions.filter(({ kind }) => kind === "sender")).toEqual([]);
  });

  test("a method of the base has no results, headers or capabilities beside its definitions", async () => {
    const { channel } = await over(base);
    const first = channel!.messages.find(({ method }) => method.name === "tools/call")!;
    expect(first.method).toMatchObject({
      ...{ message: "CallToolRequest", capabilities: [], multiRoundTrip: false, cacheable: false },
      result: { definition: "CallToolResult", alternatives: [] },
    });
  });
});

test("without notes about its messages, the channel is left out, which is reported", async () => {
  const { channel, assumptions } = await over("2025-11-25", { notes: [] });
  expect(channel).toBe(undefined);
  expect(assumptions).toContainEqual({
    ...{ kind: "channel", subject: "desk/hello" },
    text: "The channel of pen, paper, lamp is left out: no note of kind channel says what travels on it.",
  });
});

test("definitions of a revision with sessions are imported from the base", async () => {
  const { imported } = await over("2025-11-25");
  for (const name of ["CallToolRequest", "CallToolResult", "ListToolsResult"])
    expect(imported.get(name)).toBe(name);
});

test("members that an era fills in are removed on a channel, and stay between the sides", async () => {
  const { schema, imported, channel, methods } = await over("2026-07-28");
  const required = (name: string): readonly string[] | undefined =>
    schema.definitions.get(name)!.node.required;
  expect(required("CallToolResult")).toEqual(["content"]);
  expect(imported.has("CallToolResult")).toBe(false);
  const call = channel!.messages.find(({ method }) => method.name === "tools/call")!.method;
  expect(call.params.definition).toBe("CallToolRequestParams on channel");
  expect(required("CallToolRequestParams on channel")).toEqual(["name"]);
  const list = channel!.messages.find(({ method }) => method.name === "tools/list")!.method;
  expect(list.params.presence).toBe("optional");
  // Sent between the sides, too.
  expect(required(methods[0]!.params.definition!)).toEqual(["_meta", "name"]);
  const find = channel!.messages.find(({ method }) => method.name === "desk/find")!.method;
  expect(find.message).toBe("FindRequest on channel");
});

describe("refuses", () => {
  const noted = (note: object): Partial<ExtensionText> => ({
    notes: [...desk.notes!, note as Record<string, string>],
  });
  const channelled = (channel: object): Partial<ExtensionText> => ({
    about: { channel: { roles: ["pen", "paper", "lamp"], handshake, ...channel } },
  });
  const at = (pointer: string) => ({ place: { file: expect.stringMatching(/json$/) as string, pointer } });
  const cases: Record<string, [Partial<ExtensionText>, object]> = {
    "a role that the channel does not have": [
      noted(sent("desk/light", "papr", "pen")),
      { code: "MG1312", message: expect.stringContaining('has no role "papr"') as string, ...at("/notes/6") },
    ],
    "a message from a role to itself": [
      noted(sent("desk/light", "pen", "pen")),
      { code: "MG1312", ...at("/notes/6") },
    ],
    "a note without a channel": [
      { about: {} },
      { code: "MG1312", message: expect.stringContaining('extension.json has no "channel"') as string },
    ],
    "a method that neither the extension nor the base has": [
      noted(sent("tools/cal", "pen", "paper")),
      {
        code: "MG1202",
        message: expect.stringContaining("neither the extension nor the base 2025-11-25") as string,
        ...at("/notes/6"),
      },
    ],
    "a definition of a method that the base has": [
      noted({ ...sent("prompts/list", "pen", "paper"), message: "HelloRequest" }),
      { code: "MG1312", ...at("/notes/6") },
    ],
    "a definition that is not there": [
      noted({ ...sent("desk/dim", "pen", "paper"), message: "DimRequest" }),
      { code: "MG1202", ...at("/notes/6") },
    ],
    "a note that repeats another": [
      noted(sent("desk/light", "paper", "lamp")),
      { code: "MG1203", ...at("/notes/6") },
    ],
    "a handshake that does not travel on the channel": [
      channelled({ handshake: { request: "desk/hallo" } }),
      { code: "MG1312", ...at("/channel/handshake/request") },
    ],
    "a handshake of a notification": [
      channelled({ handshake: { request: "notifications/desk/ready" } }),
      { code: "MG1312", ...at("/channel/handshake/request") },
    ],
    "a confirmation of the other role": [
      channelled({ handshake: { request: "desk/hello", confirmation: "notifications/desk/shown" } }),
      { code: "MG1312", ...at("/channel/handshake/confirmation") },
    ],
    "a role without messages": [
      channelled({ roles: ["pen", "paper", "lamp", "desk"] }),
      { code: "MG1312", ...at("/channel/roles/3") },
    ],
    "a channel without a handshake": [
      { about: { channel: { roles: ["pen", "paper"] } } },
      { code: "MG1302", message: expect.stringContaining('"handshake"') as string },
    ],
    "a role named as a module": [channelled({ roles: ["pen", "types"] }), { code: "MG1302" }],
  };
  test.each(Object.entries(cases))("%s", async (_, [change, expected]) => {
    const failure = await failureOf(over("2025-11-25", change));
    expect(failure).toMatchObject(expected);
    expect((failure as { next?: string }).next).toEqual(expect.any(String));
  });
});
