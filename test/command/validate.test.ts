import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { Judge } from "../../generator/command/validate/judge.js";
import { lines } from "../../generator/command/validate.js";
import { type Protocol, loadProtocol } from "../../generator/command/validate/protocol.js";
import { sharedFolder, temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";

/** A built output folder with the two revisions the tests speak of. */
const outDir = sharedFolder();
const revisions = ["2025-03-26", "2025-11-25"];

beforeAll(async () => {
  const words = [
    "generate",
    ...revisions.map((revision) => `--revision=${revision}`),
    "--out",
    outDir,
    "--force",
  ];
  const ran = await mcpgen(process.cwd(), [...words, "--only=validators,explain,methods,model,types"]);
  expect(ran.stderr).not.toContain("error");
  await build({
    entryPoints: revisions.flatMap((revision) =>
      ["methods", "explain"].map((module) => ({
        in: `${outDir}/${revision}/${module}.ts`,
        out: `${revision}/${module}`,
      })),
    ),
    bundle: true,
    format: "esm",
    outdir: `${outDir}/dist`,
    logLevel: "error",
  });
});

async function protocol(revision: string): Promise<Protocol> {
  const built = [`${outDir}/dist`];
  const loaded = await loadProtocol(revision, {
    ...{ directory: outDir, packageName: "not-installed", built },
    admits: async () => true,
  });
  if (!loaded) throw new Error("the protocol was not built");
  return loaded;
}

const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x" } };
const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const content = { jsonrpc: "2.0", id: 1, result: { content: [] } };

describe("answers are paired with the one open request that fits", () => {
  test("a good and a bad result of the same method", async () => {
    const judge = new Judge(await protocol("2025-11-25"));
    expect(judge.judge(call)).toEqual([{ kind: "request", method: "tools/call", issues: [] }]);
    expect(judge.judge(content)).toEqual([{ kind: "result", method: "tools/call", issues: [] }]);
    judge.judge(call);
    const [verdict] = judge.judge({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text" }] } });
    expect(verdict?.issues[0]).toMatchObject({
      pointer: "/result/content/0/text",
      message: expect.stringMatching(/^result\.content\[0\]\.text: expected string, got nothing/) as string,
    });
  });

  test("an answer without a request, and a second answer to the same request", async () => {
    const judge = new Judge(await protocol("2025-11-25"));
    expect(judge.judge(content)).toEqual([{ kind: "result", issues: [], unpaired: true }]);
    judge.judge(call);
    judge.judge(content);
    expect(judge.judge(content)).toMatchObject([{ unpaired: true }]);
  });

  test("an id that both sides use: ambiguous in a bare transcript, resolved by the named sender", async () => {
    const bare = new Judge(await protocol("2025-11-25"));
    bare.judge(call);
    bare.judge(ping);
    expect(bare.judge(content)).toMatchObject([{ unpaired: true }]);

    const tagged = new Judge(await protocol("2025-11-25"));
    tagged.judge(call, "client");
    tagged.judge(ping, "server");
    expect(tagged.judge({ jsonrpc: "2.0", id: 1, result: {} }, "client")).toMatchObject([
      { method: "ping", issues: [] },
    ]);
    expect(tagged.judge(content, "server")).toMatchObject([{ method: "tools/call", issues: [] }]);
  });

  test("an alternative result is judged by its mark", async () => {
    const judge = new Judge(await protocol("2025-11-25"));
    judge.judge(call, "client");
    const [verdict] = judge.judge({ jsonrpc: "2.0", id: 1, result: { task: { taskId: 5 } } }, "server");
    expect(verdict?.issues.map(({ pointer }) => pointer)).toContain("/result/task/taskId");
  });

  test("an error closes its request", async () => {
    const judge = new Judge(await protocol("2025-11-25"));
    judge.judge(call);
    const error = { jsonrpc: "2.0", id: 1, error: { code: -32602, message: "no" } };
    expect(judge.judge(error)).toEqual([{ kind: "error", method: "tools/call", issues: [] }]);
    expect(judge.judge(error)).toMatchObject([{ unpaired: true }]);
  });
});

test.each<[object, string]>([
  [{ id: 1, result: {}, error: { code: 1, message: "no" } }, "result and error"],
  [{ id: 1, method: "ping", result: {} }, "method and result"],
  [{ method: "notifications/initialized", error: { code: 1, message: "no" } }, "method and error"],
])("%j is refused, because a message has exactly one kind", async (message, what) => {
  const judge = new Judge(await protocol("2025-11-25"));
  const [verdict] = judge.judge({ jsonrpc: "2.0", ...message });
  expect(verdict).toEqual({
    kind: "unknown",
    issues: [{ pointer: "", message: `expected one of method, result and error, got ${what}` }],
  });
});

test("a method of the other side, of no side, and one that is nearly right", async () => {
  const judge = new Judge(await protocol("2025-11-25"));
  const message = (method: string) => ({ jsonrpc: "2.0", id: 1, method });
  const issue = (method: string, from?: "client" | "server") =>
    judge.judge(message(method), from)[0]?.issues[0]?.message;
  expect(issue("tools/list", "client")).toBeUndefined();
  expect(issue("tools/list", "server")).toContain("expected a request of this revision that a server sends");
  expect(issue("tools/lst")).toContain('did you mean "tools/list"?');
  expect(issue("__proto__")).toContain('got "__proto__"');
});

test("a batch is judged item by item in the revision that has batches, and refused in others", async () => {
  const batch = [call, { ...call, id: 2, params: {} }];
  const old = new Judge(await protocol("2025-03-26")).judge(batch);
  expect(old.map(({ issues }) => issues.length)).toEqual([0, 1]);
  const current = new Judge(await protocol("2025-11-25")).judge(batch);
  expect(current).toMatchObject([{ kind: "unknown", issues: [{ pointer: "" }] }]);
});

test("lines end only at line feeds, wherever chunks end", async () => {
  const text = '"\u2028 é 🙂"\r\n\n{}\nlast';
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 100]) {
    const chunks = async function* () {
      for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size);
    };
    const found: string[] = [];
    for await (const line of lines(chunks())) found.push(line);
    expect(found).toEqual(['"\u2028 é 🙂"\r', "", "{}", "last"]);
  }
});

describe("mcpgen validate", () => {
  const run = (source: string, more: object = {}, ...args: string[]) => {
    const folder = temporaryFolder({
      "mcpgen.config.json": JSON.stringify({ package: "not-installed", out: outDir }),
    });
    if (source !== "-") writeFileSync(join(folder, "t.jsonl"), source);
    const file = source === "-" ? "-" : "t.jsonl";
    return mcpgen(folder, ["validate", file, "--revision", "2025-11-25", ...args], more);
  };
  const text = (...messages: unknown[]): string =>
    messages.map((message) => JSON.stringify(message)).join("\n");

  test("a clean transcript", async () => {
    const { code, stdout } = await run(text(call, content, { from: "server", message: ping }));
    expect([code, stdout]).toEqual([0, "2025-11-25: 3 messages, 3 valid, 0 invalid\n"]);
  });

  test("each bad message with its line, the place in it and the fault", async () => {
    const { code, stdout } = await run(
      `\uFEFF${text(call)}\n\nnot json\n${text({ ...call, params: {} }, content, content)}`,
    );
    expect(stdout.split("\n")).toEqual([
      't.jsonl:3: error MG3109: not JSON: "not json"',
      't.jsonl:4 /params/name: error MG3109: invalid "tools/call" request',
      "    params.name: expected string, got nothing",
      expect.stringContaining("5 messages, 3 valid, 2 invalid, 2 answers without a single open request"),
      "",
    ]);
    expect(code).toBe(1);
  });

  test("control characters and workflow commands from a peer are escaped, not removed", async () => {
    const method = "x\n::error file=a::pwned\u001b]0;t\u0007\u202e\u2028";
    const messages = text(
      { jsonrpc: "2.0", id: 1, method },
      { jsonrpc: "2.0", id: 2, method: { toString: 1 } },
    );
    for (const format of ["text", "github", "json"]) {
      const { code, stdout } = await run(messages, {}, "--format", format);
      expect(code).toBe(1);
      expect(stdout).toContain("pwned");
      expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
      expect(stdout).not.toMatch(/^\s*::error file=a/m);
      if (format === "json") expect(() => JSON.parse(stdout) as unknown).not.toThrow();
    }
  });

  test("standard input, as JSON", async () => {
    const stdin = (async function* () {
      yield text({ from: "me", message: call });
    })();
    const { code, stdout } = await run("-", { stdin }, "--json");
    const document = JSON.parse(stdout) as { findings: { place: object }[] };
    expect(document).toMatchObject({ messages: 1, valid: 0, invalid: 1, unpaired: 0 });
    expect(document.findings[0]?.place).toEqual({ file: "standard input", line: 1 });
    expect(code).toBe(1);
  });

  test.each([
    ["an empty file", ""],
    ["a file that is not JSON lines", "a\nb\n"],
    ["JSON that holds no message", '"a"\n5\n'],
  ])("%s exits with 3", async (_, content) => {
    const { code, stderr } = await run(content);
    expect([code, stderr]).toEqual([3, expect.stringContaining("error MG1002")]);
  });

  test("a revision that was never built", async () => {
    const folder = temporaryFolder({ "mcpgen.config.json": '{"package":"not-installed"}', "t.jsonl": "{}" });
    const { code, stderr } = await mcpgen(folder, ["validate", "t.jsonl", "--revision", "2025-11-25"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("error MG2011: revision 2025-11-25 is neither in"),
    ]);
  });
});
