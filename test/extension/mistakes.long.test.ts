import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { format } from "../../generator/print/format.js";
import { mcpgen } from "../support/in-process.js";
import { addTickets, ticketsFolder } from "../support/tickets-extension.js";

/** A mistake of the author of an extension, and the error with the advice. */
const mistakes: readonly (readonly [
  mistake: string,
  words: readonly string[],
  exit: number,
  code: string,
  next: string,
])[] = [
  ["no id", ["tickets.json"], 2, "MG2003", "--id: what the sides declare, e.g. com.example/search"],
  ["an id without a prefix", ["tickets.json", "--id", "tickets"], 3, "MG1301", "com.example/tickets."],
  [
    "an id with a space",
    ["tickets.json", "--id", "com.acme/my tickets"],
    3,
    "MG1301",
    "com.acme/my-tickets.",
  ],
  ["a way up as id", ["tickets.json", "--id", "../../etc/passwd"], 3, "MG1301", "etc/passwd."],
  ["a reserved prefix", ["tickets.json", "--id", "com.mcp/x"], 3, "MG1301", "com.example/x."],
  [
    "an unknown base",
    ["tickets.json", "--id", "a.b/c", "--base", "2026"],
    2,
    "MG2010",
    "2025-11-25, 2026-07-28.",
  ],
  [
    "a misspelt base",
    ["tickets.json", "--id", "a.b/c", "--base", "2026-07-29"],
    2,
    "MG2010",
    "Did you mean 2026-07-28?",
  ],
  [
    "a way up as version",
    ["tickets.json", "--id", "a.b/c", "--version", "../1"],
    3,
    "MG1301",
    "e.g. 2026-07-28 or 1.2.0",
  ],
  ["no file", ["ticket.json", "--id", "a.b/c"], 3, "MG1001", "Check the path"],
  ["YAML", ["tickets.yaml", "--id", "a.b/c"], 3, "MG1002", "convert the YAML file"],
  ["a program", ["tickets.ts", "--id", "a.b/c"], 3, "MG1002", "print the schema as JSON first"],
  ["an empty file", ["empty.json", "--id", "a.b/c"], 3, "MG1002", "Correct the file"],
  ["no definitions", ["none.json", "--id", "a.b/c"], 3, "MG1109", '"method": { "const": "search/find" }'],
  ["a registry of zod", ["zod.json", "--id", "a.b/c"], 3, "MG1109", "{ $defs: z.toJSONSchema(registry"],
  [
    "a method with two senders",
    ["tickets.json", "--id", "a.b/c", "--sender", "tickets/list=client", "--sender", "tickets/list=server"],
    2,
    "MG2004",
    "--sender tickets/list=both",
  ],
  [
    "an unknown method",
    ["tickets.json", "--id", "a.b/c", "--sender", "ticket/list=client"],
    2,
    "MG2004",
    "Did you mean tickets/list?",
  ],
  [
    "an unknown side",
    ["tickets.json", "--id", "a.b/c", "--sender", "tickets/list=user"],
    2,
    "MG2004",
    "--sender search/find=client",
  ],
];

test.each(mistakes)(
  "%s is an error that states what to write, and no file is written",
  async (_, words, exit, code, next) => {
    const folder = ticketsFolder();
    writeFileSync(join(folder, "tickets.yaml"), "$defs:\n  A: { type: object }\n");
    writeFileSync(join(folder, "tickets.ts"), "export const schema = z.object({});\n");
    writeFileSync(join(folder, "empty.json"), "");
    writeFileSync(join(folder, "none.json"), "{}");
    writeFileSync(join(folder, "zod.json"), '{"schemas":{"A":{}}}');
    const { code: ended, stderr, stdout } = await mcpgen(folder, ["extension", "add", ...words]);
    expect({ ended, stdout }).toEqual({ ended: exit, stdout: "" });
    expect(stderr).toContain(code);
    expect(stderr).toContain(next);
    expect(existsSync(join(folder, "schema"))).toBe(false);
  },
);

test("a schema without a message is stored, with a warning that explains how to write one", async () => {
  const folder = ticketsFolder();
  writeFileSync(
    join(folder, "tickets.json"),
    JSON.stringify({ $defs: { Colour: { type: "object", properties: { red: { type: "number" } } } } }),
  );
  const { code, stdout } = await mcpgen(folder, addTickets);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /MG1111: com\.acme\/tickets@1\.0\.0: no definition describes a message\n.*"method": \{ "const"/,
  );
});

test("--sender answers the questions about senders, now or later", async () => {
  const folder = ticketsFolder();
  const first = await mcpgen(folder, addTickets);
  expect(first.stdout).toContain(
    "schema/extensions/com.acme/tickets/1.0.0/notes.json: warning MG1308: com.acme/tickets@1.0.0: Which side sends notifications/tickets/changed?",
  );
  expect(first.stdout).toContain(
    "Or repeat the command with --sender notifications/tickets/changed=client|server|both",
  );
  const answers = ["tickets/list=client", "tickets/create=client", "notifications/tickets/changed=server"];
  const senders = answers.flatMap((answer) => ["--sender", answer]);
  const second = await mcpgen(folder, [...addTickets, ...senders]);
  expect(second.code).toBe(0);
  expect(second.stdout).not.toContain("Which side sends");
  const file = join(folder, "schema/extensions/com.acme/tickets/1.0.0/notes.json");
  const { notes } = JSON.parse(readFileSync(file, "utf8")) as { notes: object[] };
  expect(notes).toMatchObject([
    { kind: "sender", target: ["tickets/list", "tickets/create"], sender: "client" },
    { kind: "sender", target: "notifications/tickets/changed", sender: "server" },
  ]);
  expect((await mcpgen(folder, ["generate"])).stderr).not.toContain("assumed (sender");
  // A later answer replaces the one before.
  await mcpgen(folder, [...addTickets, "--sender", "notifications/tickets/changed=both"]);
  expect(readFileSync(file, "utf8").match(/notifications\/tickets\/changed/g)).toHaveLength(1);
});

test("a pasted note without the missing fact is an error at its place", async () => {
  const folder = ticketsFolder();
  await mcpgen(folder, addTickets);
  const file = join(folder, "schema/extensions/com.acme/tickets/1.0.0/notes.json");
  const note = {
    kind: "sender",
    target: "tickets/list",
    sender: "client | server | both",
    reason: "…",
    link: "…",
  };
  writeFileSync(file, JSON.stringify({ format: 1, notes: [note] }, null, 2));
  const { code, stderr } = await mcpgen(folder, ["generate"]);
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(
      /notes\.json \/notes\/0\/sender: error MG1201: expected one of "client", "server", "both", got "client \| server \| both"/,
    ),
  ]);
  expect(existsSync(join(folder, "generated"))).toBe(false);
});

test("diff suggests the nearest version, and remove lists the remaining steps after the last extension", async () => {
  const folder = ticketsFolder();
  await mcpgen(folder, addTickets);
  const compared = await mcpgen(folder, ["diff", "com.acme/tickets@1.0.0", "com.acme/tickets@1.0.1"]);
  expect([compared.code, compared.stderr]).toEqual([
    2,
    expect.stringMatching(/MG1306: .*tickets@1\.0\.1"\n.*Did you mean com\.acme\/tickets@1\.0\.0\?/),
  ]);
  const removed = await mcpgen(folder, ["extension", "remove", "com.acme/tickets"]);
  expect(removed.stdout).toContain("if generated has files of the extension, delete them.");
  expect(removed.stdout).not.toContain("mcpgen generate");
});

test("check names the carried notes of an extension, to be confirmed", async () => {
  const folder = ticketsFolder();
  await mcpgen(folder, [...addTickets, "--sender", "tickets/list=client"]);
  await mcpgen(folder, [...addTickets, "--version", "1.1.0"]);
  await mcpgen(folder, ["generate"]);
  const { code, stdout } = await mcpgen(folder, ["check"]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(
      "schema/extensions/com.acme/tickets/1.1.0/notes.json: warning MG3107: 1 carried note is not confirmed",
    ),
  ]);
});

test("two extensions with the same method are refused with both names and places", async () => {
  const folder = ticketsFolder();
  await mcpgen(folder, addTickets);
  await mcpgen(folder, ["extension", "add", "tickets.json", "--id", "org.other/desk"]);
  const { code, stderr } = await mcpgen(folder, ["generate"]);
  expect(code).toBe(3);
  expect(stderr).toMatch(/^schema\/extensions\/org\.other\/desk\/1\.0\.0\/schema\.json: error MG1304: /m);
  expect(stderr).toContain(
    "the extension com.acme/tickets (extensions/com.acme/tickets/1.0.0/schema.json) and the extension org.other/desk\n",
  );
  expect(existsSync(join(folder, "generated"))).toBe(false);
});

const hostile = "a\"`${process.exit(1)}\n\u202e'*/b";
const messageOf = (method: string) => ({
  type: "object",
  description: "*/ process.exit(1); /*",
  properties: { method: { const: method }, params: { type: "object", properties: { constructor: {} } } },
  required: ["method"],
});

test("hostile names stay text", async () => {
  const folder = ticketsFolder();
  const $defs = {
    [`${hostile}Request`]: messageOf(hostile),
    ConstructorRequest: messageOf("constructor"),
    ToStringNotification: messageOf("toString"),
    class: { type: "string" },
  };
  writeFileSync(join(folder, "tickets.json"), JSON.stringify({ $defs }));
  const add = ["extension", "add", "tickets.json", "--id", "com.acme/constructor"];
  expect((await mcpgen(folder, add)).code).toBe(0);
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  const root = join(folder, "generated/extensions");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  // The formatter fails if the output is not valid TypeScript.
  for (const file of files) await format(file, readFileSync(join(root, file), "utf8"));
  expect((await mcpgen(folder, ["init", "server", "here", "--extension", "com.acme/constructor"])).code).toBe(
    0,
  );
  for (const file of ["src/client.ts", "src/extensions/constructor.ts", "src/main.ts"])
    await format(file, readFileSync(join(folder, "here", file), "utf8"));
});
