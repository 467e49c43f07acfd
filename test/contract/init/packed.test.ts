import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Packed, inNewFolder, npm, packAll } from "./packages.js";
import { hasPseudoTerminals, inPseudoTerminal } from "./pseudo-terminal.js";

/** Needs a build, and packages that npm may have to fetch: the long run alone does this. */
const long = process.env["MCPGEN_LONG"] === "1";

describe.runIf(long)("from the packages as they are published", () => {
  let packed: readonly Packed[];
  /** The folder somebody works in, with mcpgen installed as `npx mcpgen` would. */
  let folder: string;
  beforeAll(() => {
    folder = inNewFolder();
    packed = packAll(folder);
    writeFileSync(join(folder, "package.json"), "{}");
    npm(folder, ["install", ...tarballs()]);
    // As long as the network takes.
  }, 600_000);

  const tarballs = (): string[] => packed.map(({ tarball }) => tarball);
  const mcpgen = (directory: string, ...args: string[]): string =>
    execFileSync(join(folder, "node_modules/.bin/mcpgen"), args, { cwd: directory, encoding: "utf8" });
  /** A project with our packages in place of those that its package.json names by version. */
  const installed = (project: string): string => {
    const file = join(project, "package.json");
    const before = readFileSync(file, "utf8");
    npm(project, ["install", ...tarballs()]);
    const { dependencies, devDependencies } = JSON.parse(before) as Record<string, object>;
    expect(Object.keys(dependencies!)).toEqual(["@mcpgen/protocol", "@mcpgen/runtime"]);
    expect(Object.keys(devDependencies!)).toEqual(["mcpgen", "typescript"]);
    return project;
  };
  const tested = (project: string): string =>
    npm(project, ["test"], { NODE_OPTIONS: "--test-reporter=tap" })
      .match(/^# (?:pass|fail) \d+$/gm)!
      .join();

  test("they hold what is run and described, and nothing that is only ours", () => {
    for (const { name, files } of packed) {
      const strange = files.filter(
        (file) =>
          !/^(?:dist\/.*(?:\.js|\.d\.ts|LICENSE)|package\.json|README\.md|LICENSE|NOTICE)$/.test(file) &&
          !(name === "mcpgen" && /^(?:templates\/[^/]+\.hbs|docs\/contract\.schema\.json)$/.test(file)) &&
          !(name === "@mcpgen/protocol" && /^[\d-]+\/vectors\.json$/.test(file)),
      );
      expect({ name, strange }).toEqual({ name, strange: [] });
      expect(files.filter((file) => /(?:^|\/)LICENSE$/.test(file))).toHaveLength(1);
      expect(files.filter((file) => /^dist\/examples|(?:^|\/)test\/|\.test\./.test(file))).toEqual(
        name === "mcpgen"
          ? [`templates/skeleton-client.test.mjs.hbs`, `templates/skeleton-server.test.mjs.hbs`]
          : [],
      );
    }
  });

  test("every entry that they export is there, with its types", () => {
    for (const { name, files, manifest } of packed) {
      const targets = Object.values(manifest.exports).flatMap((entry) =>
        typeof entry === "string" ? [entry] : [entry["types"]!, entry["default"]!],
      );
      const missing = targets.filter((target) => !files.includes(target.slice(2)));
      expect({ name, missing }).toEqual({ name, missing: [] });
    }
  });

  test.each(["nodenext", "bundler"])(
    "their types are found and right with moduleResolution %s",
    (resolution) => {
      const project = join(folder, `types-${resolution}`);
      mkdirSync(project);
      const entries = packed.flatMap(({ name, manifest }) =>
        Object.keys(manifest.exports)
          .filter((entry) => !entry.endsWith(".json"))
          .map((entry) => name + entry.slice(1)),
      );
      expect(entries.length).toBeGreaterThan(20);
      const imports = entries.map(
        (entry, index) => `import * as entry${index} from ${JSON.stringify(entry)};`,
      );
      const used = entries.map((_, index) => `entry${index}`).join(", ");
      writeFileSync(join(project, "all.ts"), `${imports.join("\n")}\nexport const all = [${used}];\n`);
      const compilerOptions = {
        module: resolution === "bundler" ? "preserve" : resolution,
        moduleResolution: resolution,
        target: "ES2022",
        lib: ["ES2023", "DOM"],
        // They speak of streams and servers of Node's.
        types: ["node"],
        typeRoots: [resolve("node_modules/@types")],
        strict: true,
        noEmit: true,
        skipLibCheck: false,
      };
      writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["all.ts"] }));
      const tsc = spawnSync(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", project]);
      expect(tsc.stdout.toString()).toBe("");
      expect(tsc.status).toBe(0);
      if (resolution === "bundler") return;
      writeFileSync(join(project, "all.mjs"), imports.join("\n"));
      execFileSync(process.execPath, [join(project, "all.mjs")]);
      writeFileSync(join(project, "all.cjs"), entries.map((entry) => `require("${entry}");`).join("\n"));
      execFileSync(process.execPath, ["--no-warnings", join(project, "all.cjs")]);
    },
  );

  test("a server: three commands to the first call; then a tool more", () => {
    mcpgen(folder, "init", "server", "hello");
    const project = installed(join(folder, "hello"));
    const call = (...words: string[]): string => mcpgen(project, "call", ...words);
    const ada = ["greet", "--args", '{"name":"Ada"}'];
    expect(call("stdio:npm start --silent", ...ada)).toBe('{"greeting":"Hello, Ada."}\n');
    for (const revision of ["2024-11-05", "2026-07-28"])
      expect(call("stdio:node dist/main.js", ...ada, "--revision", revision)).toBe(
        '{"greeting":"Hello, Ada."}\n',
      );
    expect(mcpgen(project, "sync")).toBe("nothing to insert in 1 file of handlers\n");
    mcpgen(project, "check", "--full");
    expect(tested(project)).toBe("# pass 3,# fail 0");
    expect(mcpgen(folder, "init", "server", "hello")).toMatch(/^0 files created, \d+ left as they were$/m);
    appendFileSync(
      join(project, "mcp.contract.yaml"),
      "  - name: add\n    inputSchema: { type: object, properties: { a: { type: number } }, required: [a] }\n",
    );
    mcpgen(project, "generate");
    expect(mcpgen(project, "sync")).toContain("src/handlers.ts: add\n");
    npm(project, ["run", "build"]);
    expect(tested(project)).toBe("# pass 3,# fail 0");
    // Nothing of anybody else's is installed to run it.
    const own = join(folder, "hello-without-development");
    mkdirSync(own);
    copyFileSync(join(project, "package.json"), join(own, "package.json"));
    npm(own, ["install", "--omit=dev"]);
    expect(readdirSync(join(own, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "@mcpgen",
    ]);
  });

  test("a client of that server, by asking it; a server that offers the same, of one revision alone", () => {
    const source = `stdio:node ${join(folder, "hello/dist/main.js")}`;
    mcpgen(folder, "init", "client", "asking", "--server", source);
    const client = installed(join(folder, "asking"));
    expect(tested(client)).toBe("# pass 2,# fail 0");
    expect(npm(client, ["start", "--silent", "--", source])).toBe("greet\nadd\n");
    mcpgen(client, "check", "--server", source);
    const dead = spawnSync("npm", ["start", "--silent", "--", "stdio:no-such-program-anywhere"], {
      cwd: client,
      encoding: "utf8",
    });
    expect([dead.status, dead.stderr.trim().split("\n")]).toEqual([
      1,
      [expect.stringContaining('cannot start "no-such-program-anywhere"')],
    ]);
    mcpgen(folder, "init", "server", "again", "--server", source, "--revision", "2025-06-18");
    const server = installed(join(folder, "again"));
    expect(tested(server)).toBe("# pass 1,# fail 0");
    const newer = spawnSync(
      join(folder, "node_modules/.bin/mcpgen"),
      ["call", "stdio:node dist/main.js", "greet", "--revision", "2026-07-28"],
      { cwd: server, encoding: "utf8" },
    );
    expect([newer.status, newer.stderr]).toEqual([4, expect.stringContaining("MG4104")]);
  });
  test.runIf(hasPseudoTerminals)("somebody at a terminal is asked three questions, and may leave", () => {
    const home = join(folder, "at-a-terminal");
    mkdirSync(home);
    const command = [join(folder, "node_modules/.bin/mcpgen"), "init", "server"];
    const left = inPseudoTerminal(command, home, [
      ["What is the server called?", "\r"],
      ["Which revisions", "\x03"],
    ]);
    expect(left).toMatchObject({ code: 130, unasked: 0, shown: expect.stringContaining("error MG2016") });
    expect(readdirSync(home)).toEqual([]);
    const made = inPseudoTerminal(command, home, [
      ["What is the server called?", "\r"],
      ["Which revisions", "\r"],
      ["Which folder", "\r"],
    ]);
    expect(made).toMatchObject({ code: 0, unasked: 0, shown: expect.stringContaining("npm install") });
    expect(readdirSync(home)).toContain("mcp.contract.yaml");
  });
});
