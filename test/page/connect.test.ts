import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { publicWords } from "../../generator/secrets/public-words.js";
import { Secrets, shownWords } from "../../generator/secrets/secrets.js";
import { type ServerStart, connectPart } from "../../generator/page/offer/connect.js";
import { mcpgen } from "../support/in-process.js";
import { newServer, serve } from "../support/live-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const stdio = (words: readonly string[], variables: readonly string[] = []): ServerStart => ({
  ...{ kind: "stdio", words, variables },
});

const lineOf = (start: ServerStart): string => connectPart("shop", start).text;

describe("adding a server to hosts", () => {
  test.each<[string, ServerStart, string]>([
    [
      "a URL",
      { kind: "http", url: "https://me:pw@a.example/mcp?key=abc#x", headers: ["X-1", "x_1"] },
      "npx add-mcp 'https://a.example/mcp?key=${KEY}' --header 'X-1: ${X_1}' --header 'x_1: ${X_1_2}' --name shop",
    ],
    ["a contract", { kind: "unknown" }, "npx add-mcp https://example.com/mcp --name shop"],
    [
      "a command",
      stdio(["node", "server.js", "--port=1"], ["TOKEN"]),
      "npx add-mcp 'node server.js --port=1' --env 'TOKEN=${TOKEN}' --name shop",
    ],
    [
      "values that are left out, with their options",
      stdio(["node", "server.js", "-v", "--api-key", "abc", "it's $(here)"], ["API_KEY"]),
      "npx add-mcp 'node server.js' --args=-v --args=--api-key '--args=${API_KEY_2}' '--args=${VALUE}' --env 'API_KEY=${API_KEY}' --name shop",
    ],
    [
      "options before the program",
      stdio(["npx", "-y", "@scope/shop@1.2.3", "--port", "1"]),
      "npx add-mcp 'npx -y @scope/shop@1.2.3 --port 1' --name shop",
    ],
    ["a path", stdio(["/opt/tools/server", "a"]), "npx add-mcp /opt/tools/server --args=a --name shop"],
    [
      "one word, which add-mcp takes for a package",
      stdio(["server"]),
      "npx add-mcp 'env server' --name shop",
    ],
    ["a value first", stdio(["node", "a b.js"]), "npx add-mcp 'node --' '--args=${VALUE}' --name shop"],
  ])("%s", (_, start, line) => expect(lineOf(start)).toBe(line));

  test("the shell reads each line as its words", () => {
    const line = lineOf(stdio(["node", "a", "--key=x", ...["$HOME", "`id`", "a'b", "a\nb", ""]]));
    const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" }).split("\0");
    const args = ["--key=${KEY}", "${VALUE}", "${VALUE_2}", "${VALUE_3}", "${VALUE_4}", ""];
    expect(printed.slice(2, -3)).toEqual(["node a", ...args.map((word) => `--args=${word}`)]);
  });

  /** Commands, and their form on a page. */
  const commands: readonly (readonly [words: readonly string[], shown: readonly string[]])[] = [
    [words`node s.js --api-key SECRET`, words`node s.js --api-key …`],
    [words`env TOKEN=SECRET MODE=SECRET node`, words`env TOKEN=… MODE=… node`],
    [words`s --password=SECRET --port=1`, words`s --password=… --port=1`],
    [words`s --env=API_KEY=SECRET -e mode=SECRET`, words`s --env=API_KEY=… -e mode=…`],
    [words`s --bearer=SECRET --api.key=SECRET`, words`s --bearer=… --api.key=…`],
    [words`s -phunter -p SECRET -p 80:80`, words`s … -p … -p 80:80`],
    [
      ["s", "--connection", "Server=db;Password=SECRET"],
      ["s", "--connection", "Server=…"],
    ],
    [
      ["s", "-H", "Authorization: Bearer SECRET", "--header=X-Team: SECRET"],
      ["s", "-H", "Authorization: …", "--header=X-Team: …"],
    ],
    [
      ["sh", "-c", "node s.js --token SECRET"],
      ["sh", "-c", "…"],
    ],
    [
      ["s", '{"token":"SECRET"}'],
      ["s", "…"],
    ],
    [words`s postgres://me:SECRET@db/x?k=SECRET`, words`s postgres://…@db/x?k=…`],
    [words`s --db=mongodb://u:SECRET@h1,h2/db`, words`s --db=mongodb://…@h1,h2/db`],
    [words`s jdbc:postgresql://h/db?password=SECRET`, words`s jdbc:postgresql://h/db?password=…`],
    [words`s jdbc:sqlserver://h:1433;password=SECRET`, words`s jdbc:sqlserver://h:1433;password=…`],
    [words`https://h/s/SECRET/mcp#token=SECRET`, words`https://h/s/…/mcp#token=…`],
    [words`/tmp/SECRET/s.mjs --key-file ./a/key.pem`, words`/tmp/…/s.mjs --key-file ./a/key.pem`],
    [words`C:\tools\s.exe x9K2mQ7vL4 aGVsbG8=`, words`C:\tools\s.exe … …`],
    [
      words`npx -y @modelcontextprotocol/server-everything@2025.11.25 streamableHttp --host 127.0.0.1`,
      words`npx -y @modelcontextprotocol/server-everything@2025.11.25 streamableHttp --host 127.0.0.1`,
    ],
  ];

  /** Matches a value that is secret by its name. */
  const named = /(?:key|token|password|bearer|authorization)\W{1,5}(?:bearer )?SECRET|:SECRET@/i;

  test.each(commands)("%j is shown without secrets", (given, shown) => {
    expect(publicWords(given)).toEqual(shown);
  });

  test.each(commands)("messages about %j hide what is secret by its name", (given) => {
    if (named.test(given.join(" "))) expect(shownWords(given).join(" ")).not.toMatch(named);
  });

  test("a word with many assignments is read", () => {
    expect(publicWords(["s", "a=".repeat(50_000)])[1]).toMatch(/^[a=]*…$/);
  });

  test.each(commands)("secrets of %j are known", (given) => {
    const known = new Secrets();
    const secret = "letters-only";
    known.learnWords(given.map((word) => word.replaceAll("SECRET", secret)));
    if (named.test(given.join(" "))) expect(known.hide(secret)).toBe("…");
  });
});

/** The words of a command without quotes. */
function words({ raw }: TemplateStringsArray, ...more: readonly string[]): string[] {
  return String.raw({ raw }, ...more)
    .replaceAll("\\\\", "\\")
    .split(" ");
}

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
