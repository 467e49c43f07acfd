import { expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { initialized, scripted } from "../support/live-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

interface Reported {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly place: { readonly file: string; readonly line?: number; readonly pointer: string };
  readonly next: string;
}

const tool = (name: string, more: object = {}): object => ({
  name,
  description: "Does what the test needs.",
  inputSchema: { type: "object", properties: {} },
  ...more,
});
const marked = (name: string, mark: unknown): object => tool(name, { _meta: { "com.example/mark": mark } });

const id = "com.example/mark";
const folder = `schema/extensions/${id}/1.0.0`;
const note = { kind: "member", target: "base#/$defs/Tool", reason: "Because.", link: "https://example.com" };

/** An extension of the project, which servers declare. */
const mark = (required = false): Record<string, string> => ({
  [`${folder}/extension.json`]: JSON.stringify({
    ...{ format: 1, id, version: "1.0.0", status: "draft", bases: ["2025-11-25", "2026-07-28"] },
    declared: { server: "/extensions/com.example~1mark" },
  }),
  [`${folder}/schema.json`]: JSON.stringify({
    $defs: { Mark: { type: "object", properties: { level: { type: "integer" } }, required: ["level"] } },
  }),
  [`${folder}/notes.json`]: JSON.stringify({
    format: 1,
    notes: [{ ...note, member: "/_meta/com.example~1mark", definition: "Mark", required }],
  }),
});

async function linted(
  contract: object,
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly findings: readonly Reported[] }> {
  const text = JSON.stringify({ name: "weather", version: "1", ...contract }, null, 2);
  const { code, stdout } = await mcpgen(temporaryFolder({ "c.json": text, ...files }), [
    ...["lint", "c.json", "--json"],
  ]);
  return { code, findings: (JSON.parse(stdout) as { findings: Reported[] }).findings };
}

const brief = ({ code, severity, message, place }: Reported): string =>
  `${place.pointer}: ${severity} ${code}: ${message}`;

test("a member of an extension of mcpgen must have a value that the extension allows", async () => {
  const ui = (value: unknown): object => ({ _meta: { ui: value } });
  const { code, findings } = await linted({
    tools: [
      tool("good", ui({ resourceUri: "ui://a", visibility: ["app"] })),
      tool("number", ui({ resourceUri: 5 })),
      tool("choice", ui({ visibility: ["app", "people"] })),
      tool("text", ui("ui://a")),
      tool("slip", ui({ resourceURI: "ui://a" })),
      tool("moved", ui({ csp: {} })),
    ],
    resources: [
      { name: "good", uri: "ui://a", ...ui({ prefersBorder: true }) },
      { name: "border", uri: "ui://b", ...ui({ prefersBorder: "yes" }) },
    ],
    prompts: [{ name: "free", ...ui(1) }],
  });
  expect(code).toBe(1);
  const of = "by io.modelcontextprotocol/ui@2026-01-26";
  expect(findings.map(brief)).toEqual([
    `/tools/1/_meta/ui/resourceUri: error MG6604: tool "number": expected string, got 5 (number) (${of})`,
    `/tools/2/_meta/ui/visibility/1: error MG6604: tool "choice": expected one of "app", "model", got "people" (string) (${of})`,
    `/tools/3/_meta/ui: error MG6604: tool "text": expected object, got "ui://a" (string) (${of})`,
    `/tools/4/_meta/ui/resourceURI: warning MG6604: tool "slip": there is no key "resourceURI" (${of})`,
    `/tools/5/_meta/ui/csp: error MG6604: tool "moved": expected no value, got object (${of})`,
    `/resources/1/_meta/ui/prefersBorder: error MG6604: resource "border": expected boolean, got "yes" (string) (${of})`,
  ]);
  expect(findings[3]!.next).toBe('Did you mean "resourceUri"?');
  expect(findings[0]!.next).toBe(
    "Correct the value; the definition is McpUiToolMeta in the schema of the extension.",
  );
  expect(findings[0]!.place).toMatchObject({ file: "c.json", line: 30 });
});

test("members of an extension require its declaration", async () => {
  const tools = [marked("one", { level: 1 }), tool("two"), marked("three", { level: 3 })];
  const { code, findings } = await linted({ tools }, mark());
  expect([code, findings.map(brief)]).toEqual([
    0,
    [
      '/tools/0/_meta/com.example~1mark: warning MG6605: tool "one" and 1 more: the member belongs to com.example/mark, ' +
        "which the capabilities do not declare",
    ],
  ]);
  expect(findings[0]!.next).toContain('{"extensions":{"com.example/mark":{}}}');
  const declared = { capabilities: { extensions: { [id]: {} } } };
  expect((await linted({ tools, ...declared }, mark())).findings).toEqual([]);
});

test("a required member is reported as missing only if the server declares the extension", async () => {
  const tools = [marked("one", {}), tool("two")];
  const declared = { capabilities: { extensions: { [id]: {} } } };
  const { code, findings } = await linted({ tools, ...declared }, mark(true));
  expect(code).toBe(1);
  expect(findings.map(brief)).toEqual([
    '/tools/0/_meta/com.example~1mark: error MG6604: tool "one": expected the key "level", which is missing (by com.example/mark@1.0.0)',
    '/tools/1: error MG6604: tool "two": expected the member /_meta/com.example~1mark, which is missing (by com.example/mark@1.0.0)',
  ]);
  expect((await linted({ tools: [tool("two")] }, mark(true))).findings).toEqual([]);
});

test("members of a live server are judged by its declared extensions", async () => {
  const source = (extensions: object): string =>
    scripted({
      initialize: initialized({ tools: {}, extensions }),
      "tools/list": { tools: [marked("one", { level: "high" })] },
    });
  const run = async (extensions: object): Promise<string> =>
    (await mcpgen(temporaryFolder(mark()), ["lint", source(extensions)])).stdout;
  const undeclared = await run({});
  expect(undeclared).toContain('MG6605: tool "one": the member belongs to com.example/mark');
  const declared = await run({ [id]: {} });
  expect(declared).not.toContain("MG6605");
  expect(declared).toContain(
    '/tools/0/_meta/com.example~1mark/level: error MG6604: tool "one": expected integer, got "high"',
  );
});
