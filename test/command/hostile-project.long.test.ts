import { execFileSync, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtCli } from "../support/built-program.js";
import { mcpgen } from "../support/in-process.js";
import { newServer, serve } from "../support/live-server.js";
import { smallSchemaText } from "../support/small-protocol.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Files of the user that a cloned repository tries to change. */
const theirs = {
  "home/notes.txt": "years of notes",
  "home/mcp.contract.yaml": "name: mine\nversion: '1'\n",
  "home/page.html": "<p>mine",
  "home/handlers.ts": "// mine",
  "home/contract.ts": "// mine",
  "home/.ssh/authorized_keys": "ssh-ed25519 AAAA",
} as const;

const contract = `name: weather
version: 1.0.0
tools:
  - name: forecast
    inputSchema: { type: object, properties: { city: { type: string } } }
`;

const config = (out: string): string =>
  JSON.stringify({ contracts: [{ file: "mcp.contract.yaml", out, role: "server" }] });

/** A clone beside the files of the user. */
function clone(out = "src/generated"): { readonly folder: string; readonly repo: string } {
  const folder = temporaryFolder({
    ...theirs,
    "repo/.git/config": "[core]",
    "repo/.git/hooks/post-checkout": "#!/bin/sh",
    "repo/mcpgen.config.json": config(out),
    "repo/mcp.contract.yaml": contract,
    "repo/package.json": JSON.stringify({ name: "@me/weather", version: "1.0.0", type: "module" }),
    "repo/tsconfig.json": JSON.stringify({ compilerOptions: { module: "nodenext", strict: true } }),
    "repo/src/handlers.ts":
      'import type { Handlers } from "./generated/server.js";\nexport const handlers: Handlers = {};\n',
    "repo/src/main.ts": "",
    "repo/protocol.json": smallSchemaText,
  });
  return { folder, repo: join(folder, "repo") };
}

/** The text of all files that belong to the user or to Git. */
function untouched(folder: string): string {
  const lines: string[] = [];
  const visit = (path: string): void => {
    const found = lstatSync(path);
    const more = found.isFile()
      ? readFileSync(path, "utf8")
      : found.isSymbolicLink()
        ? readlinkSync(path)
        : "";
    lines.push(`${path.slice(folder.length)} ${found.mode} ${more}`);
    if (found.isDirectory()) for (const name of readdirSync(path).sort()) visit(join(path, name));
  };
  visit(join(folder, "home"));
  visit(join(folder, "repo/.git"));
  lines.push(readdirSync(folder).sort().join());
  return lines.join("\n");
}

/** Writes journals that an earlier version would have executed, into every folder to which commands write. */
function plantJournals(folder: string, repo: string): void {
  const victims = [
    ...[
      "../home/notes.txt",
      "../../home/notes.txt",
      "../../../home/notes.txt",
      ".git/config",
      "../.git/config",
    ],
    ...[join(folder, "home/notes.txt"), join(folder, "home/.ssh/authorized_keys")],
  ];
  for (const place of [".", "src", "src/generated", "schema", "docs", "out", "new"]) {
    const left = join(repo, place, ".mcpgen-write-4194999");
    mkdirSync(join(left, "old"), { recursive: true });
    for (const existed of [true, false]) {
      const journal = victims.map((path) => ({ path, existed }));
      writeFileSync(join(left, "journal.json"), JSON.stringify(journal));
    }
    symlinkSync(join(folder, "home"), join(left, "new"));
    symlinkSync(join(folder, "home/notes.txt"), join(repo, place, ".mcpgen-write-4194999-0123456789ab"));
  }
}

/** The commands that write, with the places in the project that each writes to. */
const commands: readonly { readonly words: readonly string[]; readonly links: readonly string[] }[] = [
  {
    words: ["generate"],
    links: ["src/generated", "src/generated/contract.ts", "src/generated/manifest.json"],
  },
  { words: ["generate", "--force"], links: ["src/generated", "src/generated/server.ts"] },
  { words: ["docs", "mcp.contract.yaml", "--out", "docs/page.html"], links: ["docs", "docs/page.html"] },
  { words: ["docs", "mcp.contract.yaml", "--out", "docs/page.html", "--force"], links: ["docs/page.html"] },
  { words: ["capture", "SERVER", "--out", "out/c.yaml", "--replace"], links: ["out", "out/c.yaml"] },
  { words: ["capture", "SERVER", "--replace"], links: ["mcp.contract.yaml"] },
  { words: ["call", "SERVER", "hello", "--output", "out/", "--replace"], links: ["out", "out/hello.txt"] },
  { words: ["call", "SERVER", "hello", "--output", "out/a.txt", "--replace"], links: ["out", "out/a.txt"] },
  { words: ["package", "docker", "--replace"], links: ["Dockerfile"] },
  { words: ["init", "server", "new", "--name", "new", "--yes"], links: ["new", "new/src", "new/test"] },
  {
    words: ["revision", "add", "protocol.json", "--name", "2030-01-01", "--replace"],
    links: ["schema", "schema/lock.json", "schema/2030-01-01", "schema/2030-01-01/schema.json"],
  },
  { words: ["sync"], links: [] },
];

async function server(): Promise<string> {
  const live = newServer();
  live.tool("hello", {}, () => "hello");
  return serve(live);
}

async function run(repo: string, words: readonly string[]) {
  const source = words.includes("SERVER") ? await server() : "";
  const state = temporaryFolder();
  return mcpgen(
    repo,
    words.map((word) => (word === "SERVER" ? source : word)),
    { env: { HOME: state, XDG_STATE_HOME: state } },
  );
}

describe("a cloned repository cannot change files outside of it", () => {
  test.each(commands)("by journals: $words", async ({ words }) => {
    const { folder, repo } = clone();
    if (words[0] === "sync") await run(repo, ["generate"]);
    plantJournals(folder, repo);
    const before = untouched(folder);
    const { code, stderr } = await run(repo, words);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(untouched(folder)).toBe(before);
  });

  const linked = commands.flatMap(({ words, links }) => links.map((link) => ({ words, link })));
  test.each(linked)("by a link at $link: $words", async ({ words, link }) => {
    const { folder, repo } = clone();
    const before = untouched(folder);
    const name = link.slice(link.lastIndexOf("/") + 1);
    // Without links the command writes there.
    expect((await run(repo, words)).code).toBe(0);
    rmSync(join(repo, link), { recursive: true, force: true });
    mkdirSync(dirname(join(repo, link)), { recursive: true });
    const target = name.includes(".") || name === "Dockerfile" ? "home/notes.txt" : "home";
    symlinkSync(join(folder, target), join(repo, link));
    const { code } = await run(repo, words);
    expect(untouched(folder)).toBe(before);
    // `init` may succeed if it has nothing to write at the target of the link.
    if (!words.includes("init")) expect(code).not.toBe(0);
  });

  test.each(["../home", "../../x", "ABSOLUTE", ".git/hooks", "linked", "linked/deep"])(
    "by the configuration's out: %s",
    async (out) => {
      const { folder, repo } = clone();
      writeFileSync(join(repo, "mcpgen.config.json"), config(out.replace("ABSOLUTE", join(folder, "home"))));
      symlinkSync(join(folder, "home"), join(repo, "linked"));
      const before = untouched(folder);
      for (const more of [[], ["--dry-run"], ...(out.startsWith("linked") ? [["--force"]] : [])]) {
        const { code, stdout, stderr } = await run(repo, ["generate", ...more]);
        expect(untouched(folder)).toBe(before);
        if (more.includes("--dry-run")) continue;
        expect(code).not.toBe(0);
        // If a file of the user has the name of an output, this is the first error.
        expect(stdout + stderr).toMatch(more.length > 0 ? /MG3002/ : /MG300[129]/);
      }
    },
  );

  test("by handlers that are a link", async () => {
    const { folder, repo } = clone();
    await run(repo, ["generate"]);
    const text = readFileSync(join(repo, "src/handlers.ts"), "utf8").replace(
      "./generated",
      "../repo/src/generated",
    );
    writeFileSync(join(folder, "home/handlers.ts"), text);
    rmSync(join(repo, "src/handlers.ts"));
    symlinkSync(join(folder, "home/handlers.ts"), join(repo, "src/handlers.ts"));
    const before = untouched(folder);
    for (const words of [["sync"], ["sync", "--handlers", "src/handlers.ts"]]) {
      const { code, stderr } = await run(repo, words);
      expect([code, stderr]).toEqual([2, expect.stringContaining("MG3009")]);
    }
    expect(untouched(folder)).toBe(before);
  });

  test("by a cache that it contains: only the user's own is used", async () => {
    const { repo } = clone();
    expect((await run(repo, ["generate"])).code).toBe(0);
    mkdirSync(join(repo, "node_modules/.cache/mcpgen"), { recursive: true });
    for (const name of readdirSync(join(repo, "src/generated")))
      if (name.endsWith("server.ts")) writeFileSync(join(repo, "src/generated", name), "planted");
    expect((await run(repo, ["check"])).code).toBe(1);
  });
});

test.skipIf(process.platform === "win32")("a pipe in place of a file ends the command", () => {
  const { repo } = clone();
  const cli = builtCli();
  for (const [pipe, words] of [
    ["mcp.contract.yaml", ["generate"]],
    ["mcp.contract.yaml", ["lint", "mcp.contract.yaml"]],
    ["mcpgen.config.json", ["generate"]],
    ["src/generated/manifest.json", ["generate"]],
    ["package.json", ["package", "docker"]],
  ] as const) {
    const { repo: fresh } = clone();
    mkdirSync(dirname(join(fresh, pipe)), { recursive: true });
    rmSync(join(fresh, pipe), { force: true });
    execFileSync("mkfifo", [join(fresh, pipe)]);
    const state = temporaryFolder();
    const ran = spawnSync(process.execPath, [cli, ...words], {
      cwd: fresh,
      encoding: "utf8",
      timeout: 60_000,
      env: { PATH: process.env["PATH"], HOME: state, XDG_STATE_HOME: state },
    });
    expect([words, ran.status, ran.signal]).toEqual([words, expect.any(Number), null]);
    expect(ran.status).not.toBe(0);
  }
  expect(readdirSync(repo)).toContain("mcp.contract.yaml");
});
