import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { shownWords } from "../../generator/capture/server-source.js";
import { type ServerStart, connectParts } from "../../generator/page/offer/connect.js";
import { mcpgen } from "../support/in-process.js";
import { newServer, serve } from "../support/live-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const stdio = (words: readonly string[], variables: readonly string[] = []): ServerStart => ({
  ...{ kind: "stdio", words, variables },
});

/** The command for hosts, and the value in `mcpServers`. */
function ways(start: ServerStart): { readonly line: string | undefined; readonly entry: unknown } {
  const texts = connectParts("shop", start).map((part) => (part.kind === "code" ? part.text : ""));
  const { mcpServers } = JSON.parse(texts.at(-1)!) as { mcpServers: Record<string, unknown> };
  return { line: texts.length > 1 ? texts[0] : undefined, entry: mcpServers["shop"] };
}

describe("adding a server to hosts", () => {
  test.each<[string, ServerStart, string | undefined, object]>([
    [
      "a URL",
      { kind: "http", url: "https://a.example/mcp?key=…", headers: ["X-Api-Key"] },
      "npx add-mcp 'https://a.example/mcp?key=…' --header 'X-Api-Key: ${X_API_KEY}' --name shop",
      { type: "http", url: "https://a.example/mcp?key=…", headers: { "X-Api-Key": "${X_API_KEY}" } },
    ],
    [
      "a contract",
      { kind: "unknown" },
      "npx add-mcp https://example.com/mcp --name shop",
      { type: "http", url: "https://example.com/mcp" },
    ],
    [
      "a command",
      stdio(["node", "server.js", "--port=1"], ["TOKEN"]),
      "npx add-mcp 'node server.js --port=1' --env 'TOKEN=${TOKEN}' --name shop",
      { command: "node", args: ["server.js", "--port=1"], env: { TOKEN: "${TOKEN}" } },
    ],
    [
      "words with spaces and quotes, which add-mcp does not split",
      stdio(["node", "server.js", "it's $(here)", "-x"]),
      `npx add-mcp 'node server.js' '--args=it'"'"'s $(here)' --args=-x --name shop`,
      { command: "node", args: ["server.js", "it's $(here)", "-x"] },
    ],
    [
      "a path with spaces",
      stdio(["/my tools/server", "a"]),
      "npx add-mcp '/my tools/server' --args=a --name shop",
      { command: "/my tools/server", args: ["a"] },
    ],
    [
      "one word, which add-mcp takes for a package",
      stdio(["server"]),
      undefined,
      { command: "server", args: [] },
    ],
    ["a file with a space", stdio(["node", "a b.js"]), undefined, { command: "node", args: ["a b.js"] }],
  ])("%s", (_, start, line, entry) => expect(ways(start)).toEqual({ line, entry }));

  test("the shell reads each line as its words", () => {
    const words = ["node", "a", ...["$HOME", "`id`", "a'b", 'a"b', "a\\b", "a\nb", "", "=x", "!!"]];
    const { line } = ways(stdio(words));
    const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" }).split("\0");
    expect(printed.slice(2, -3)).toEqual([
      "node a $HOME `id` a'b a\"b a\\b",
      ...["--args=a\nb", "--args=", "--args==x", "--args=!!"],
    ]);
  });

  test.each([
    [
      ["node", "s.js", "--api-key", "abc"],
      ["node", "s.js", "--api-key", "…"],
    ],
    [
      ["env", "TOKEN=abc", "node"],
      ["env", "TOKEN=…", "node"],
    ],
    [
      ["s", "--password=abc", "--port=1"],
      ["s", "--password=…", "--port=1"],
    ],
    [
      ["s", "postgres://me:abc@db/x?k=abc"],
      ["s", "postgres://…@db/x?…"],
    ],
    [
      ["s", "--db=postgres://me:abc@db/x"],
      ["s", "--db=postgres://…@db/x"],
    ],
  ])("%j without secrets", (words, shown) => expect(shownWords(words)).toEqual(shown));
});

describe("the page of a live server", () => {
  const secret = "s3cr3t-value-of-a-header";

  test("names its address and headers, and holds no value of them, although the server repeats one", async () => {
    const server = newServer("shop");
    server.tool("search", { description: `You sent ${secret}.` }, () => "tea");
    const url = await serve(server);
    const header = ["--header", `X-Api-Key: ${secret}`];
    for (const more of [[], ["--format", "markdown"], ["--out", "page.html"]]) {
      const folder = temporaryFolder();
      const { stdout } = await mcpgen(folder, ["docs", url, ...header, ...more]);
      const file = resolve(folder, "page.html");
      const page = existsSync(file) ? execFileSync("cat", [file], { encoding: "utf8" }) : stdout;
      expect(page).toContain("X-Api-Key: ${X_API_KEY}");
      expect(page).toContain(`npx add-mcp ${url}`);
      expect(page).not.toContain(secret);
    }
  });

  test("--no-lint leaves findings out", async () => {
    const tools = [{ name: "a", description: "A.", inputSchema: { type: "object" } }];
    const contract = JSON.stringify({ name: "shop", version: "1", tools });
    const folder = temporaryFolder({ "mcp.contract.json": contract });
    const page = async (...more: string[]): Promise<string> =>
      (await mcpgen(folder, ["docs", "mcp.contract.json", ...more])).stdout;
    const marks = /lint (?:error|warning)|data-filter="lint"|Findings|class="findings"/;
    expect((await page()).replace(/<(style|script)[^]*?<\/\1>/g, "")).toMatch(marks);
    expect((await page("--no-lint")).replace(/<(style|script)[^]*?<\/\1>/g, "")).not.toMatch(marks);
  });
});
