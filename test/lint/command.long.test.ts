import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { RequestListener } from "node:http";
import { describe, expect, test } from "vitest";
import { lintRules } from "../../generator/lint/lint-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { mcpgen } from "../support/in-process.js";
import { loopback } from "../support/listen.js";
import { initialized, scripted } from "../support/live-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const contract = `name: weather
version: "1.0"
tools:
  - name: get_weather
    description: Weather of a city.
    inputSchema:
      type: object
      properties:
        city: { type: string }
        days: { type: integer, exclusiveMinimum: 0 }
        hours: { type: integer, exclusiveMinimum: 0 }
`;
const folder = (): string => temporaryFolder({ "c.yaml": contract });

test("a finding names its place, its rule and its fix", async () => {
  const { code, stdout } = await mcpgen(folder(), ["lint", "c.yaml", "--profile=gemini-parameters"]);
  expect(code).toBe(1);
  expect(stdout).toBe(
    'c.yaml:10:50 /tools/0/inputSchema/properties/days/exclusiveMinimum: error MG6601: tool "get_weather": ' +
      "`exclusiveMinimum` in 2 places (gemini-unknown-keyword: gemini-parameters)\n" +
      `  → ${lintRules.find(({ id }) => id === "gemini-unknown-keyword")!.fix}\n` +
      "get_weather  224 bytes  about 56 tokens\n" +
      "1 tool, about 56 tokens; for gemini-parameters: 1 error, 0 warnings\n",
  );
});

test("a rule that many tools violate is one line with counts; --verbose and --json list each tool", async () => {
  const tools = Array.from({ length: 12 }, (_, index) => ({
    name: `tool_${index}`,
    inputSchema: { type: "object", properties: { a: { type: "array" }, b: { type: "array" } } },
  }));
  const files = { "c.json": JSON.stringify({ name: "many", version: "1", tools }) };
  const run = (...options: string[]) =>
    mcpgen(temporaryFolder(files), ["lint", "c.json", "--profile=openai", ...options]);
  const { stdout } = await run();
  const lines = stdout.split("\n").filter((line) => line.includes("MG66"));
  expect(lines.map((line) => /MG660\d: (.*)/.exec(line)![1])).toEqual([
    '12 tools ("tool_0", "tool_1", "tool_2" and 9 more): no description (no-description: openai)',
    '12 tools ("tool_0", "tool_1", "tool_2" and 9 more): an array without `items` in 24 places (array-without-items: openai)',
  ]);
  expect(stdout).toMatch(/for openai: 12 errors, 12 warnings; --verbose lists them by tool\n$/);
  const verbose = (await run("--verbose")).stdout;
  expect(verbose.split("\n").filter((line) => line.includes("MG66"))).toHaveLength(24);
  expect(verbose).toMatch(/12 errors, 12 warnings\n$/);
  const { findings, problems } = JSON.parse((await run("--json")).stdout) as Record<string, unknown[]>;
  expect([findings!.length, problems!.length]).toEqual([24, 36]);
});

test("two problems at one place count as one place", async () => {
  const city = {
    type: "string",
    enum: Array.from({ length: 1001 }, (_, index) => `${index}`.padStart(20, "0")),
  };
  const tool = { name: "weather", inputSchema: { type: "object", properties: { city }, required: ["city"] } };
  const files = { "c.json": JSON.stringify({ name: "many", version: "1", tools: [tool] }, null, 1) };
  const { stdout } = await mcpgen(temporaryFolder(files), ["lint", "c.json", "--profile=strict"]);
  expect(stdout).toContain(
    'c.json:12:15 /tools/0/inputSchema/properties/city/enum: error MG6601: tool "weather": ' +
      "1001 values in 1 enum, 20020 characters in an enum of 1001 values (strict-enum-size: strict)\n",
  );
});

test("a line has the name of a tool once", async () => {
  const tools = ["a.b", "get weather", "a-b", "1up", "x".repeat(65)].map((name) => ({
    name,
    description: "x",
    inputSchema: { type: "object" },
  }));
  const files = { "c.json": JSON.stringify({ name: "many", version: "1", tools }) };
  const run = async (...options: string[]) => {
    const { stdout } = await mcpgen(temporaryFolder(files), ["lint", "c.json", ...options]);
    return stdout.split("\n").flatMap((line) => /MG660\d: (.*) \(tool-name/.exec(line)?.[1] ?? []);
  };
  expect(await run()).toEqual([
    '2 tools ("a.b", "get weather"): "." in the name, " " in the name',
    '2 tools ("a.b", "a-b"): almost the same names',
    '2 tools ("get weather", "1up"): " " in the name, "1" at the start of the name',
    `tool "${"x".repeat(65)}": a name of 65 characters`,
  ]);
  expect(await run("--verbose")).toContain('tool "a-b": almost the name of "a.b"');
});

test("a profile and a budget decide", async () => {
  const claude = await mcpgen(folder(), ["lint", "c.yaml", "--profile", "claude", "--budget", "56"]);
  expect([claude.code, claude.stdout]).toEqual([0, expect.not.stringContaining("error MG")]);
  const dear = await mcpgen(folder(), ["lint", "c.yaml", "--profile=claude", "--budget=55"]);
  expect(dear.code).toBe(1);
  expect(dear.stdout).toContain(
    'c.yaml:4:5 /tools/0: error MG6603: tool "get_weather": about 56 tokens (224 bytes), expected at most 55',
  );
  const strict = await mcpgen(folder(), ["lint", "c.yaml", "--profile=strict", "--profile=claude", "--json"]);
  const { profiles, problems, tools } = JSON.parse(strict.stdout) as Record<string, unknown[]>;
  expect(profiles).toEqual(["claude", "strict"]);
  expect(problems).toContainEqual(expect.objectContaining({ rule: "strict-optional", profiles: ["strict"] }));
  expect(tools).toEqual([{ tool: "get_weather", pointer: "/tools/0", bytes: 224, tokens: 56 }]);
});

test("a contract from standard input and a live server are checked in the same way", async () => {
  const options = ["--profile=claude", "--budget=55"];
  const stdin = async function* (): AsyncGenerator<string> {
    yield contract;
  };
  const piped = await mcpgen(folder(), ["lint", "-", ...options], { stdin: stdin() });
  expect([piped.code, piped.stdout]).toEqual([
    1,
    expect.stringContaining("standard input:4:5 /tools/0: error MG6603"),
  ]);
  const { tools } = (await readContract(contract, "c.yaml")).contract;
  const source = scripted({
    initialize: initialized({ tools: {} }),
    "tools/list": { tools: [...tools!, { name: 1 }] },
  });
  const live = await mcpgen(temporaryFolder(), ["lint", source, ...options]);
  expect(live.code).toBe(1);
  expect(live.stdout).toContain(`/server.mjs /tools/0: error MG6603: tool "get_weather": about 56 tokens`);
  expect(live.stdout).toContain("error MG6301: tools: entry 2 is left out");
  const misused = await mcpgen(folder(), ["lint", "c.yaml", "--timeout", "3"]);
  expect([misused.code, misused.stderr]).toEqual([2, expect.stringContaining("--timeout needs a server")]);
});

/** Answers over HTTP as `scripted` does, each in an event of a stream. */
const answering =
  (results: Readonly<Record<string, object>>): RequestListener =>
  (request, response) => {
    void buffer(request).then((body) => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method, params } = JSON.parse(body.toString()) as Record<string, unknown> & {
        method: string;
      };
      if (id === undefined) return response.writeHead(202).end();
      const found = results[method];
      const { cursor = 0 } = (params ?? {}) as { cursor?: string };
      const unknown = { error: { code: -32601, message: "unknown" } };
      const answer = found
        ? { result: (found as { readonly pages?: readonly unknown[] }).pages?.[Number(cursor)] ?? found }
        : unknown;
      response.writeHead(200, { "content-type": "text/event-stream" });
      return response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n\n`);
    });
  };

test.each(["stdio", "HTTP"])(
  "tools of a live server are judged as hosts get them (%s)",
  async (transport) => {
    const tool = (name: string, more: object) => ({
      name,
      description: "Does it.",
      inputSchema: { type: "object", ...more },
    });
    // The second name is listed twice, so that its schema is not known.
    const tools = [tool("odd", { required: null }), tool("twice", { required: null }), tool("twice", {})];
    const about = { ...initialized({ tools: {} }), protocolVersion: "2025-11-25" };
    const results = {
      initialize: about,
      "tools/list": { pages: [{ tools: tools.slice(0, 1), nextCursor: "1" }, { tools: tools.slice(1) }] },
    };
    const source = transport === "stdio" ? scripted(results) : await loopback(answering(results));
    const { code, stdout } = await mcpgen(temporaryFolder(), [
      "lint",
      source,
      "--host",
      "claude-code",
      "--json",
    ]);
    const { problems } = JSON.parse(stdout) as {
      problems: { rule: string; tool: string; pointer: string }[];
    };
    const nulls = problems.filter(({ rule }) => rule === "null-required");
    expect(nulls.map(({ tool: name, pointer }) => [name, pointer])).toEqual([
      ["odd", "/tools/0/inputSchema/required"],
    ]);
    expect(code).toBe(1);
  },
);

test.each(["0", "-1", "many", "1.5"])("a budget of %s is refused", async (budget) => {
  const { code, stderr } = await mcpgen(folder(), ["lint", "c.yaml", `--budget=${budget}`]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("error MG2004: expected --budget")]);
});

test("an unknown profile, and a file that is not a contract", async () => {
  const unknown = await mcpgen(folder(), ["lint", "c.yaml", "--profile", "gemni"]);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("Did you mean gemini?")]);
  const none = await mcpgen(folder(), ["lint", "none.yaml"]);
  expect([none.code, none.stderr]).toEqual([3, expect.stringContaining("none.yaml: error MG1001")]);
});

test("explain describes a rule", async () => {
  const { code, stdout } = await mcpgen(folder(), ["explain", "root-union"]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^root-union: a rule of mcpgen lint\n\n[^]*For claude, openai, strict: error\./),
  ]);
  expect((await mcpgen(folder(), ["explain", "root-unoin"])).stderr).toContain("Did you mean root-union?");
});

describe("--fix", () => {
  const faulty = `# Weather.
name: weather
version: "1.0"
tools:
  - name: get_weather # the only one
    description: Weather of a city.
    inputSchema:
      $schema: https://json-schema.org/draft/2020-12/schema
      type: object
      properties:
        # Where.
        city: { type: string, default: null }
        days: { type: array } # of the week
        hours:
          type: integer
          minimum: 0
          exclusiveMinimum: true
      required: [place]
`;
  const right = `# Weather.
name: weather
version: "1.0"
tools:
  - name: get_weather # the only one
    description: Weather of a city.
    inputSchema:
      type: object
      properties:
        # Where.
        city: { type: string }
        days: { type: array, items: {} } # of the week
        hours:
          type: integer
          exclusiveMinimum: 0
      required: [place]
`;

  test("changes the file, names the problems that are left, and finds nothing more to change", async () => {
    const cwd = temporaryFolder({ "c.yaml": faulty });
    const file = join(cwd, "c.yaml");
    chmodSync(file, 0o640);
    const { code, stdout } = await mcpgen(cwd, ["lint", "c.yaml", "--fix"]);
    expect(readFileSync(file, "utf8")).toBe(right);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    // The uncertain finding, an error for Gemini, is not fixed.
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^c\.yaml:\d+:\d+ \/tools\/0\/inputSchema\/required\/0: error MG6601: .*required "place", not declared/m,
    );
    expect(stdout).toContain(
      [
        'fixed array-without-items: tool "get_weather"',
        'fixed boolean-bound: tool "get_weather"',
        'fixed default-dialect: tool "get_weather"',
        'fixed default-does-not-fit: tool "get_weather"',
      ].join("\n"),
    );
    expect(stdout).toMatch(/^4 fixes made in c\.yaml; 1 tool, about \d+ tokens; .*: 1 error, 1 warning$/m);
    const again = await mcpgen(cwd, ["lint", "c.yaml", "--fix"]);
    expect(again.stdout).toMatch(/^0 fixes made in c\.yaml; /m);
    expect(readFileSync(file, "utf8")).toBe(right);
    // Without --fix the report is the same.
    const plain = await mcpgen(cwd, ["lint", "c.yaml"]);
    expect(again.stdout).toBe(plain.stdout.replace(/^1 tool, /m, "0 fixes made in c.yaml; 1 tool, "));
  });

  test("shows the changes with --dry-run", async () => {
    const cwd = temporaryFolder({ "c.yaml": faulty });
    const { stdout } = await mcpgen(cwd, ["lint", "c.yaml", "--fix", "--dry-run"]);
    expect(readFileSync(join(cwd, "c.yaml"), "utf8")).toBe(faulty);
    expect(stdout).toContain(
      "-          minimum: 0\n-          exclusiveMinimum: true\n+          exclusiveMinimum: 0\n",
    );
    expect(stdout).toContain("4 fixes possible (--dry-run) in c.yaml; ");
    const alone = await mcpgen(cwd, ["lint", "c.yaml", "--dry-run"]);
    expect([alone.code, alone.stderr]).toEqual([
      2,
      expect.stringContaining("error MG2005: --dry-run needs --fix"),
    ]);
  });

  test("reports the changes and the problems that are left to programs", async () => {
    const cwd = temporaryFolder({ "c.yaml": faulty });
    const { stdout } = await mcpgen(cwd, ["lint", "c.yaml", "--fix", "--json", "--profile", "claude"]);
    const { written, file, fixed, problems } = JSON.parse(stdout) as Record<string, Record<string, string>[]>;
    expect([written, file]).toEqual([true, "c.yaml"]);
    expect(fixed!.map(({ rule, tool, pointer }) => [rule, tool, pointer])).toEqual([
      ["boolean-bound", "get_weather", "/tools/0/inputSchema/properties/hours/exclusiveMinimum"],
      ["default-dialect", "get_weather", "/tools/0/inputSchema/$schema"],
      ["default-does-not-fit", "get_weather", "/tools/0/inputSchema/properties/city/default"],
    ]);
    expect(problems!.map(({ rule }) => rule)).toEqual(["required-without-property"]);
    expect(stdout).not.toContain('"mend"');
  });

  test("keeps the encoding of the file", async () => {
    for (const [encoding, mark] of [
      ["utf8", "\ufeff"],
      ["utf16le", "\ufeff"],
      ["utf8", ""],
    ] as const) {
      const cwd = temporaryFolder({});
      const file = join(cwd, "c.yaml");
      writeFileSync(file, Buffer.from(mark + faulty, encoding));
      expect((await mcpgen(cwd, ["lint", "c.yaml", "--fix"])).code).toBe(1);
      expect(readFileSync(file)).toEqual(Buffer.from(mark + right, encoding));
    }
  });

  test("does not write without a contract file", async () => {
    const stdin = async function* (): AsyncGenerator<string> {
      yield faulty;
    };
    const source = scripted({ initialize: initialized({ tools: {} }), "tools/list": { tools: [] } });
    for (const args of [["-"], [source], ["https://127.0.0.1:1/mcp"], ["--code", "."]]) {
      const { code, stderr } = await mcpgen(temporaryFolder({}), ["lint", ...args, "--fix"], {
        stdin: stdin(),
      });
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining("error MG6608: --fix changes a contract file, got "),
      ]);
    }
  });

  test("does not follow a link", async () => {
    const elsewhere = temporaryFolder({ "c.yaml": faulty });
    const cwd = temporaryFolder({});
    symlinkSync(join(elsewhere, "c.yaml"), join(cwd, "c.yaml"));
    const { code, stderr } = await mcpgen(cwd, ["lint", "c.yaml", "--fix"]);
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining("MG3002")]);
    expect(code).not.toBe(0);
    expect(readFileSync(join(elsewhere, "c.yaml"), "utf8")).toBe(faulty);
  });
});
