import { describe, expect, test } from "vitest";
import { newServer, serve } from "../../support/live-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { type Answer, atTerminal, ctrlC, down, enter } from "../at-terminal.js";
import { mcpgen } from "../../support/in-process.js";

const requestedSchema = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name", minLength: 2 },
    age: { type: "integer", minimum: 1, description: "in years" },
    member: { type: "boolean", default: true },
    size: { type: "string", enum: ["s", "m", "l"] },
    tags: { type: "array", items: { type: "string", enum: ["a", "b", "c"] }, minItems: 1 },
    note: { type: "string" },
  },
  required: ["name", "age", "member", "size", "tags"],
} as const;

/** A server that asks its user, and returns the answers. */
async function asking(): Promise<string> {
  const server = newServer();
  const inputSchema = { type: "object" } as const;
  server.tool("form", { inputSchema }, async (_, { ask }) =>
    JSON.stringify(
      await ask.elicit("form", { message: "Who are\u0007 you?", requestedSchema: requestedSchema as never }),
    ),
  );
  server.tool("page", { inputSchema }, async (_, { ask }) =>
    JSON.stringify(
      await ask.elicit("page", {
        mode: "url",
        message: "Sign in",
        url: "https://example.com/in?x=1",
      } as never),
    ),
  );
  return serve(server);
}

const revisions = ["2025-11-25", "2026-07-28"];

async function called(
  tool: string,
  answers: readonly Answer[],
  more: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  return atTerminal(temporaryFolder(), ["call", await asking(), tool, ...more], answers, env);
}

describe.each(revisions)("a form at the terminal (%s)", (revision) => {
  const use = ["--revision", revision];

  test("each field has a question of its kind, and an impossible value is refused before the form is sent", async () => {
    const ran = await called(
      "form",
      [
        ["asks: Who are\\u0007 you?", enter],
        ["Your name", `A${enter}`],
        ["expected at least 2 characters", `da${enter}`],
        ["age: in years", `x${enter}`],
        ["expected a number", `\b36${enter}`],
        ["member", enter],
        ["size", down + enter],
        ["tags", enter],
        ["expected at least 1 choices", ` ${down} ${enter}`],
        ["note (optional)", enter],
      ],
      use,
    );
    expect([ran.unasked, ran.stderr, ran.code]).toEqual([[], "", 0]);
    expect(JSON.parse(ran.stdout)).toEqual({
      action: "accept",
      content: { name: "Ada", age: 36, member: true, size: "m", tags: ["a", "b"] },
    });
  });

  test.each([
    ["decline", [["asks: Who", down + enter]]],
    ["cancel", [["asks: Who", down + down + enter]]],
    ["cancel", [["asks: Who", ctrlC]]],
    [
      "cancel",
      [
        ["asks: Who", enter],
        ["Your name", ctrlC],
      ],
    ],
  ] as const)("it can be answered with %s", async (action, answers) => {
    const ran = await called("form", answers, use);
    expect([JSON.parse(ran.stdout), ran.unasked]).toEqual([expect.objectContaining({ action }), []]);
  });
});

test("a page is shown with its host, and mcpgen never opens it", async () => {
  const ran = await called("page", [["Its host is example.com", enter]]);
  expect(ran.shown).toContain("https://example.com/in?x=1");
  expect(JSON.parse(ran.stdout)).toMatchObject({ action: "accept" });
  const declined = await called("page", [["Its host is", down + enter]]);
  expect(JSON.parse(declined.stdout)).toMatchObject({ action: "decline" });
});

const given = [
  "--answer",
  "name=Ada",
  "--answer",
  "age=36",
  "--answer",
  "member:=false",
  "--answer",
  "size=l",
];
const tags = ["--answer", "tags=a", "--answer", "tags=c"];

describe("--answer", () => {
  test("fills forms in without a terminal", async () => {
    const ran = await mcpgen(temporaryFolder(), ["call", await asking(), "form", ...given, ...tags]);
    expect([ran.stderr, ran.code]).toEqual(["", 0]);
    expect(JSON.parse(ran.stdout)).toEqual({
      action: "accept",
      content: { name: "Ada", age: 36, member: false, size: "l", tags: ["a", "c"] },
    });
  });

  test("leaves the other questions to the terminal; without one they stay unanswered", async () => {
    const ran = await called(
      "form",
      [
        ["asks: Who", enter],
        ["tags", ` ${enter}`],
        ["note (optional)", `hm${enter}`],
      ],
      given,
    );
    expect(ran.unasked).toEqual([]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ content: { name: "Ada", tags: ["a"], note: "hm" } });
    const alone = await mcpgen(temporaryFolder(), ["call", await asking(), "form", ...given]);
    expect(JSON.parse(alone.stdout)).toMatchObject({ action: "decline" });
    expect(alone.stderr).toContain("answer it in advance: --answer tags=… --answer note=…");
  });

  test.each([
    [["--answer", "age=old", ...given.slice(0, 2)], /--answer age=old: expected a number/, /:=/],
    [["--answer", "size=xl"], /expected one of s, m, l/, /:=/],
    [["--answer", "nme=Ada"], /the server asked for no field "nme"/, /Did you mean name\?/],
  ])("with %j is refused because it does not fit", async (words, message, next) => {
    const ran = await mcpgen(temporaryFolder(), ["call", await asking(), "form", ...words]);
    expect(ran.stderr).toMatch(/error MG6312: /);
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).toMatch(next);
    // The server has done its work: its result is shown, too.
    expect(ran.code).toBe(2);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      action: expect.stringMatching(/^(cancel|decline)$/) as string,
    });
  });

  test.each([
    [["--answer", "size=XL"], "--answer size=XL: expected one of s, m, l"],
    [["--answer", "sizes=m"], 'the server asked for no field "sizes"'],
  ])("with %j is the first error, whatever the server makes of the form", async (words, message) => {
    const server = newServer();
    const inputSchema = { type: "object" } as const;
    const ask = async (ask: { elicit(key: string, form: object): Promise<unknown> }): Promise<unknown> =>
      ask.elicit("form", { message: "Which?", requestedSchema: { ...requestedSchema, required: ["size"] } });
    const outputSchema = { type: "object", properties: { size: { type: "string" } }, required: ["size"] };
    server.tool(
      "lost",
      { inputSchema, outputSchema } as never,
      (async (_: unknown, context: never) => {
        await ask((context as { ask: never }).ask);
        return { structuredContent: {} };
      }) as never,
    );
    server.tool("sorry", { inputSchema }, (async (_: unknown, context: never) => {
      await ask((context as { ask: never }).ask);
      return { isError: true, content: [{ type: "text", text: "no size" }] };
    }) as never);
    const source = await serve(server);
    for (const [tool, code] of [
      ["lost", "MG4105"],
      ["sorry", "MG6304"],
    ] as const) {
      const ran = await mcpgen(temporaryFolder(), ["call", source, tool, ...words]);
      expect([tool, ran.code, ran.stderr.match(/MG\d{4}/g)]).toEqual([tool, 2, ["MG6312", code]]);
      expect(ran.stderr).toContain(`error MG6312: ${message}`);
      expect(ran.stderr).not.toContain("there is no terminal");
      const { stdout } = await mcpgen(temporaryFolder(), ["call", source, tool, ...words, "--json"]);
      expect(JSON.parse(stdout)).toMatchObject({ exit: 2, error: { code: "MG6312" } });
    }
    const { stderr } = await mcpgen(temporaryFolder(), ["call", source, "sorry", "--answer", "sizes=m"]);
    expect(stderr).toContain(
      "the form asks for name, age, member, size, tags, note, and --answer gave sizes;",
    );
  });

  test("that no form asked for is an error in each form of output", async () => {
    const words = ["call", await asking(), "form", "--answer", "nme=Ada"];
    const json = await mcpgen(temporaryFolder(), [...words, "--json"]);
    expect([json.code, json.stderr]).toEqual([2, expect.not.stringContaining("MG6312")]);
    expect(JSON.parse(json.stdout)).toMatchObject({ exit: 2, error: { code: "MG6312" }, tool: "form" });
    const github = await mcpgen(temporaryFolder(), [...words, "--format", "github"]);
    expect([github.code, github.stdout]).toEqual([2, expect.stringContaining("::error title=MG6312::")]);
  });

  test("without a pair is refused before anything is sent", async () => {
    const ran = await mcpgen(temporaryFolder(), ["call", "stdio:nothing-here", "form", "--answer", "x"]);
    expect(ran.stderr).toContain('error MG2004: expected key=value or key:=JSON, got "x"');
  });
});

test.each<[string, string[], Record<string, string>]>([
  ["--decline", ["--decline"], {}],
  ["--quiet", ["--quiet"], {}],
  ["--json", ["--json"], {}],
  ["CI", [], { CI: "1" }],
])("no question is shown with %s, even at a terminal", async (_, words, env) => {
  const ran = await called("form", [["asks", enter]], words, env);
  expect(ran.unasked).toHaveLength(1);
  expect(ran.stdout).toContain("decline");
  expect(ran.code).toBe(0);
});
