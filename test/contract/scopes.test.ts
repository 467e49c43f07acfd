import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type Contract, connect, defineServer } from "@mcpgen/runtime";
import { createNodeHandler } from "@mcpgen/runtime/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { readContract } from "../../generator/contract/read-contract.js";
import { withUnlistedOf } from "../../generator/contract/scopes.js";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { mcpgen } from "../support/in-process.js";
import { loopback } from "../support/listen.js";
import { newServer, serve } from "../support/live-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const text = `name: files
version: "1"
tools:
  - name: delete
    description: Deletes a file.
    inputSchema: { type: object }
    scopes: [files:read, files:write]
  - name: ping
    description: Answers.
    inputSchema: { type: object }
resources:
  - { name: log, uri: "file:///log", scopes: [log] }
resourceTemplates:
  - { name: file, uriTemplate: "file:///of/{name}", scopes: [files:read] }
prompts:
  - { name: sum, scopes: [sums] }
`;

const tool = (scopes: string): string =>
  `name: n\nversion: "1"\ntools:\n  - { name: t, inputSchema: { type: object }, ${scopes} }\n`;

describe("reading", () => {
  test.each([
    ["scopes: files", "MG6003", "/tools/0/scopes", 'expected array, got "files"'],
    ["scopes: [files read]", "MG6003", "/tools/0/scopes/0", 'got "files read"'],
    ['scopes: [""]', "MG6003", "/tools/0/scopes/0", 'got ""'],
    ["scopes: [1]", "MG6003", "/tools/0/scopes/0", "expected string, got 1"],
    // If this mistake were ignored, the tool would have no protection.
    ["scope: [files]", "MG6002", "/tools/0/scope", 'there is no key "scope"'],
    ["Scopes: [files]", "MG6002", "/tools/0/Scopes", 'there is no key "Scopes"'],
  ])("%s is refused", async (scopes, code, pointer, message) => {
    const error: unknown = await readContract(tool(scopes), "c.yaml").catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      code,
      place: { pointer },
      message: expect.stringContaining(message) as string,
    });
  });

  test("a similar member of another tool's own is kept", async () => {
    const { contract } = await readContract(tool('scope: "global"'), "c.yaml");
    expect(contract.tools![0]).toMatchObject({ scope: "global" });
  });
});

test("generated code names the scopes, for handlers and for callers", async () => {
  const document = await readContract(text, "c.yaml");
  const { files } = await generateContract({ document, role: "both", importExtension: "js" });
  for (const file of ["server.ts", "client.ts"])
    for (const line of [
      "Scopes: `files:read`, `files:write`",
      "Scope: `log`",
      "Scope: `files:read`",
      "Scope: `sums`",
    ])
      expect(files.get(file), file).toContain(line);
  expect(files.get("contract.ts")).toMatch(/"scopes": \[\s+"files:read",\s+"files:write"/);
});

test("a server of the contract: permit sees the scopes, and no list has them", async () => {
  const { contract } = await readContract(text, "c.yaml");
  const accept = (): undefined => undefined;
  const server = defineServer(
    contract as unknown as Contract,
    {
      tools: { delete: () => "deleted", ping: () => "pong" },
      resources: { "file:///log": () => "log" },
      resourceTemplates: { "file:///of/{name}": () => "file" },
      prompts: { sum: () => "Sum up." },
    },
    { revisions: serverRevisions, checks: { delete: { input: accept }, ping: { input: accept } } },
  );
  const seen: string[] = [];
  const handler = createNodeHandler(server, {
    authenticate: () => ({ auth: {}, principal: "ada" }),
    permit: (calls) => {
      for (const { name, scopes } of calls) if (name !== undefined) seen.push(`${name}: ${scopes.join(" ")}`);
      return undefined;
    },
  });
  onTestFinished(() => void handler.close());
  const client = await connect(`${await loopback(handler)}/mcp`, { revisions: clientRevisions });
  onTestFinished(() => client.close());
  const listed = [
    await client.listTools(),
    await client.listResources(),
    await client.listResourceTemplates(),
    await client.listPrompts(),
  ];
  expect(listed.map(({ items }) => items.length)).toEqual([2, 1, 1, 1]);
  expect(JSON.stringify(listed)).not.toContain("scopes");
  await client.callTool("delete", {});
  await client.callTool("ping", {});
  await client.readResource("file:///log");
  await client.readResource("file:///of/a");
  await client.getPrompt("sum");
  expect(seen).toEqual([
    "delete: files:read files:write",
    "ping: ",
    "file:///log: log",
    "file:///of/a: files:read",
    "sum: sums",
  ]);
});

describe("drift", () => {
  const folder = (): string =>
    temporaryFolder({
      "old.yaml": text,
      "new.yaml": text.replace("[files:read, files:write]", "[files:write, files:delete]"),
    });

  test("an added scope breaks clients, a removed one does not; each is a finding with its line", async () => {
    const ran = await mcpgen(folder(), ["diff", "old.yaml", "new.yaml", "--json"]);
    const { findings } = JSON.parse(ran.stdout) as { findings: object[] };
    expect(ran.code).toBe(1);
    expect(findings).toMatchObject([
      {
        rule: "scope-added",
        level: { client: "breaking", server: "safe" },
        subject: { definition: "tools/delete", path: "scopes" },
        old: null,
        new: "files:delete",
        methods: ["tools/call"],
        at: { new: { file: "new.yaml", line: 7 } },
      },
      {
        rule: "scope-removed",
        level: { client: "safe", server: "safe" },
        old: "files:read",
        new: null,
      },
    ]);
  });

  test("neither the order of scopes nor an empty list counts as a difference", async () => {
    const other = text
      .replace("[files:read, files:write]", "[files:write, files:read]")
      .replace("description: Answers.", "description: Answers.\n    scopes: []");
    const there = temporaryFolder({ "old.yaml": text, "new.yaml": other });
    const { code, stdout } = await mcpgen(there, ["diff", "old.yaml", "new.yaml", "--json"]);
    expect([code, (JSON.parse(stdout) as { findings: object[] }).findings]).toEqual([0, []]);
  });

  test("a live server lists no scopes: check and diff compare the rest, and capture keeps them", async () => {
    const server = newServer("files", "1");
    server.tool("ping", { description: "Answers.", inputSchema: { type: "object" } }, () => "pong");
    const source = await serve(server);
    const there = temporaryFolder();
    await mcpgen(there, ["capture", source]);
    const file = join(there, "mcp.contract.yaml");
    const captured = readFileSync(file, "utf8");
    const scoped = captured.replace("    description: Answers.\n", "$&    scopes: [ping]\n");
    expect(scoped).not.toBe(captured);
    writeFileSync(file, scoped);
    expect(await mcpgen(there, ["check", "--server", source])).toMatchObject({ code: 0 });
    expect(await mcpgen(there, ["diff", "mcp.contract.yaml", source])).toMatchObject({ code: 0 });
    expect((await mcpgen(there, ["capture", source, "--replace"])).code).toBe(0);
    const { contract } = await readContract(readFileSync(file, "utf8"), file);
    expect(contract.tools).toMatchObject([{ name: "ping", scopes: ["ping"] }]);
  });

  test("entries keep their scopes by their names", () => {
    const of = (...tools: object[]) => ({ name: "n", version: "1", tools }) as never;
    const entry = (name: string, more = {}) => ({ name, inputSchema: {}, ...more });
    expect(
      withUnlistedOf(
        of(entry("b"), entry("c")),
        of(entry("a", { scopes: ["x"] }), entry("b", { scopes: ["y"] })),
      ),
    ).toEqual(of(entry("b", { scopes: ["y"] }), entry("c")));
  });
});
