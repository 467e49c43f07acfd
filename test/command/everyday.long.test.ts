import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newServer, serve } from "../support/live-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const inputSchema = {
  type: "object",
  properties: {
    city: { type: "string" },
    days: { type: "integer", default: 1 },
    tags: { type: "array", items: { type: "string" } },
  },
  required: ["city"],
} as const;

/** A server with a tool, a prompt and resources of each kind. */
async function served(): Promise<string> {
  const server = newServer();
  const outputSchema = {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" } },
  } as const;
  server.tool(
    "forecast",
    { description: "Forecasts the weather.\nIn detail.", inputSchema, outputSchema },
    async (given: object) => ({
      structuredContent: given as { city: string },
    }),
  );
  server.tool("draw", { inputSchema: { type: "object" } }, async () => ({
    content: [
      { type: "text", text: "a map" },
      { type: "image", mimeType: "image/png", data: png.toString("base64") },
      { type: "audio", mimeType: "audio/mpeg", data: "AAAA" },
      {
        type: "resource",
        resource: { uri: "x:/../../.hidden file.pdf?x=1", mimeType: "application/pdf", blob: "AAA=" },
      },
      {
        type: "resource",
        resource: { uri: "x:/.hidden file.pdf", mimeType: "application/pdf", blob: "AQ==" },
      },
    ],
  }));
  server.tool("one", { inputSchema: { type: "object" } }, async () => ({
    content: [{ type: "image", mimeType: "image/png", data: png.toString("base64") }],
  }));
  server.resource("map://all", { name: "map", mimeType: "image/png" }, async () => ({
    contents: [{ uri: "map://all", mimeType: "image/png", blob: png.toString("base64") }],
  }));
  server.resource("note://one", { name: "note", mimeType: "text/plain" }, async () => ({
    contents: [{ uri: "note://one", mimeType: "text/plain", text: "first\tsecond\u001b[2J\n" }],
  }));
  server.resourceTemplate("note://{id}", { name: "notes" }, async () => ({ contents: [] }));
  server.prompt(
    "review",
    { arguments: [{ name: "code", required: true }, { name: "style" }] },
    async (given) => ({
      messages: [
        {
          role: "user" as const,
          content: { type: "text" as const, text: `Review ${JSON.stringify(given)}\nnow` },
        },
      ],
    }),
  );
  return serve(server);
}

async function run(words: readonly string[], folder = temporaryFolder()) {
  const [command, ...rest] = words;
  return { folder, ...(await mcpgen(folder, [command!, await served(), ...rest])) };
}

test("list shows signatures of all that is offered", async () => {
  const { code, stdout } = await run(["list"]);
  expect(code).toBe(0);
  expect(stdout).toContain(
    [
      "weather 1.0.0",
      "",
      "tools",
      "  forecast(city: string, days?: integer = 1, tags?: string[]) → { city?: string, days?: integer }",
      "    Forecasts the weather.…",
      "  draw()",
      "  one()",
      "",
      "resources",
      "  map://all",
      "    map, image/png",
      "  note://one",
      "    note, text/plain",
      "",
      "resource templates",
      "  note://{id}",
      "    notes",
      "",
      "prompts",
      "  review(code, style?)",
      "",
    ].join("\n"),
  );
  expect(stdout).toMatch(/: 3 tools, 2 resources, 1 resource template, 1 prompt\n$/);
});

test("list --json gives entries with their signatures; a contract file is listed, too", async () => {
  const { stdout } = await run(["list", "--json"]);
  const document = JSON.parse(stdout) as { tools: { signature: string; inputSchema: object }[] };
  expect(document).toMatchObject({
    exit: 0,
    command: "list",
    name: "weather",
    prompts: [{ name: "review" }],
  });
  expect(document.tools[1]).toMatchObject({
    name: "draw",
    signature: "draw()",
    inputSchema: { type: "object" },
  });
  const folder = temporaryFolder({ "a.yaml": "name: a\nversion: '1'\nprompts:\n  - name: p\n" });
  expect((await mcpgen(folder, ["list", "a.yaml"])).stdout).toMatch(
    /prompts\n {2}p\(\)\na\.yaml: 1 prompt\n/,
  );
});

test("call accepts key=value with the types of the tool's schema", async () => {
  const ran = await run(["call", "forecast", "city=Bergen", "days=3", "tags=a", "tags=b", "--json"]);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    exit: 0,
    structuredContent: { city: "Bergen", days: 3, tags: ["a", "b"] },
  });
  const mixed = await run(["call", "forecast", "days:=5", "--args", '{"city":"Oslo","days":1}', "--json"]);
  expect(JSON.parse(mixed.stdout)).toMatchObject({ structuredContent: { city: "Oslo", days: 5 } });
});

test("a signature quotes the name of an argument that is not an identifier", async () => {
  const argument = (name: string, required: boolean) => ({ name, required });
  const prompts = [{ name: "p", arguments: [argument("plain", true), argument("two words", false)] }];
  const contract = JSON.stringify({ name: "a", version: "1", prompts });
  const { stdout } = await mcpgen(temporaryFolder({ "a.json": contract }), ["list", "a.json"]);
  expect(stdout).toContain('  p(plain, "two words"?)\n');
});

test.each<[string[], string, RegExp]>([
  [["call", "forecast", "days=3"], "MG6309", /forecast\(city: string/],
  [["call", "forecast"], "MG6309", /forecast\(city: string/],
  [["call", "forecast", "city=x", "day=3"], "MG6309", /Did you mean days\?/],
  [["call", "forecast", "city"], "MG2004", /quote/],
  [["prompt", "review"], "MG6309", /It takes review\(code, style\?\)/],
  [["prompt", "review", "cod=1"], "MG6309", /Did you mean code\?/],
  [["prompt", "revew"], "MG6311", /Did you mean review\?/],
  [["read", "none://x"], "MG4105", /./],
])("%j is refused with %s", async (words, code, next) => {
  const ran = await run(words);
  expect(ran.stderr).toContain(`error ${code}: `);
  expect(ran.stderr.split("→")[1]).toMatch(next);
  expect(ran.stdout).toBe("");
});

test("images, sounds and blobs are saved to a folder, under safe forms of their names", async () => {
  const folder = temporaryFolder({ "out/content-2.mp3": "mine" });
  const ran = await run(["call", "draw", "--output", "out/"], folder);
  expect(ran.code).toBe(0);
  expect(readdirSync(folder)).toEqual(["out"]);
  expect(readdirSync(join(folder, "out")).sort()).toEqual([
    "content-1.png",
    "content-2-2.mp3",
    "content-2.mp3",
    "hidden-file-2.pdf",
    "hidden-file.pdf",
  ]);
  expect(readFileSync(join(folder, "out/content-1.png"))).toEqual(png);
  expect(readFileSync(join(folder, "out/content-2.mp3"), "utf8")).toBe("mine");
  expect(ran.stdout).toContain("a map\n[image image/png, 4 bytes, saved to out/content-1.png]\n");
});

test("one of them is saved to a file, which is replaced only on request; JSON names it without base64", async () => {
  const folder = temporaryFolder();
  const ran = await run(["call", "one", "--output", "a.png", "--json"], folder);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    files: ["a.png"],
    content: [{ type: "image", mimeType: "image/png", file: "a.png" }],
  });
  expect(ran.stdout).not.toContain(png.toString("base64"));
  expect(readFileSync(join(folder, "a.png"))).toEqual(png);
  writeFileSync(join(folder, "a.png"), "mine");
  const again = await run(["call", "one", "--output", "a.png"], folder);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("a.png: error MG6310")]);
  expect(readFileSync(join(folder, "a.png"), "utf8")).toBe("mine");
  expect((await run(["call", "one", "--output", "a.png", "--replace"], folder)).code).toBe(0);
  expect(readFileSync(join(folder, "a.png"))).toEqual(png);
  const several = await run(["call", "draw", "--output", "b.png"], folder);
  expect(several.stderr).toMatch(/MG2004: .* there are 4 to save\n.*--output b\.png\//);
});

test("a result with only text is saved unchanged", async () => {
  const { folder, stdout } = await run(["call", "forecast", "city=Oslo", "--output", "a.json"]);
  expect(stdout).toBe("saved to a.json\n");
  expect(JSON.parse(readFileSync(join(folder, "a.json"), "utf8"))).toMatchObject({ city: "Oslo" });
});

test("read prints the text of a resource, or saves its content unchanged", async () => {
  expect((await run(["read", "note://one"])).stdout).toBe("first\tsecond\\u001b[2J\n");
  expect((await run(["read", "map://all"])).stdout).toBe("[resource map://all image/png, 4 bytes]\n");
  const { folder, stdout } = await run(["read", "note://one", "--output", "note.txt"]);
  expect(stdout).toBe("[resource note://one text/plain, saved to note.txt]\n");
  expect(readFileSync(join(folder, "note.txt"), "utf8")).toBe("first\tsecond\u001b[2J\n");
  mkdirSync(join(folder, "maps"));
  const saved = await run(["read", "map://all", "--output", "maps", "--json"], folder);
  expect(JSON.parse(saved.stdout)).toMatchObject({ uri: "map://all", files: ["maps/all.png"] });
  expect(readFileSync(join(folder, "maps/all.png"))).toEqual(png);
});

test("the error for an unknown resource suggests `mcpgen list`", async () => {
  const { code, stderr } = await run(["read", "nowhere://none"]);
  expect([code, stderr]).toEqual([
    4,
    expect.stringMatching(/MG4105: [^\n]*nowhere:\/\/none\n.*`mcpgen list SOURCE`/),
  ]);
});

test("prompt prints messages by role", async () => {
  const { stdout } = await run(["prompt", "review", "code=x y", "style=5"]);
  expect(stdout).toBe('user:\n  Review {"code":"x y","style":"5"}\n  now\n');
  const json = await run(["prompt", "review", "code=x", "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ prompt: "review", messages: [{ role: "user" }] });
});
