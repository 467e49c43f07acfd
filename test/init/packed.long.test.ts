import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { sharedFolder } from "../support/temporary-folder.js";
import { type Packed, npm, packAll } from "./packages.js";
import { inPseudoTerminal, terminalTest } from "../support/pseudo-terminal.js";

// Needs a build, and packages that npm may have to fetch.

describe("from the packages as they are published", () => {
  let packed: readonly Packed[];
  /** The folder of a user, with mcpgen installed as `npx mcpgen` would. */
  const folder = sharedFolder();
  beforeAll(() => {
    packed = packAll(join(folder, "packages"));
    writeFileSync(join(folder, "package.json"), "{}");
    const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
      devDependencies: Record<string, string>;
    };
    // An optional peer of the runtime, for one of its entries.
    const api = `@opentelemetry/api@${devDependencies["@opentelemetry/api"]}`;
    npm(folder, ["install", ...packed.map(({ tarball }) => tarball), api]);
    // As long as the network takes.
  });

  const mcpgen = (directory: string, ...args: string[]): string =>
    execFileSync(join(folder, "node_modules/.bin/mcpgen"), args, { cwd: directory, encoding: "utf8" });
  /** A new project as its author installs it: package.json names the tarballs that this mcpgen came from. */
  const installed = (project: string, more: readonly string[] = []): string => {
    const file = join(project, "package.json");
    const { scripts, dependencies, devDependencies } = JSON.parse(readFileSync(file, "utf8")) as Record<
      string,
      Record<string, string>
    >;
    // A server has them for its sessions over HTTP.
    const cluster = scripts!["http"] === undefined ? [] : ["cluster"];
    const run = ["auth", "base", "engine", ...cluster, "protocol", "runtime", "tasks"];
    const names = run.map((name) => `@mcpgen/${name}`);
    expect(Object.keys(dependencies!)).toEqual([...names, ...more]);
    expect(Object.keys(devDependencies!)).toEqual(["@mcpgen/testing", "mcpgen", "typescript"]);
    expect(devDependencies!["mcpgen"]).toBe(`file:${join(folder, "packages", "mcpgen-0.1.0.tgz")}`);
    npm(project, ["install"]);
    return project;
  };
  const tested = (project: string): string =>
    npm(project, ["test"], { NODE_OPTIONS: "--test-reporter=tap" })
      .match(/^# (?:pass|fail) \d+$/gm)!
      .join();

  test("they contain the programs and their descriptions, and no internal files", () => {
    for (const { name, files } of packed) {
      const strange = files.filter(
        (file) =>
          !/^(?:dist\/.*(?:\.js|\.d\.ts|LICENSE|NOTICE)|package\.json|README\.md|LICENSE|NOTICE)$/.test(
            file,
          ) &&
          !(
            name === "mcpgen" &&
            /^(?:templates\/[^/]+\.hbs|engine\/(?:emitted|explain|formats|ir|patterns)\/[^.]+\.ts|docs\/[^.]+\.(?:md|svg|schema\.json)|(?:CHANGELOG|SECURITY|skills\/mcpgen\/SKILL)\.md|schema\/(?:[\w.-]+\/)*[a-z]+\.json)$/.test(
              file,
            )
          ) &&
          !(name === "create-mcpgen" && file === "main.js") &&
          !(
            name === "@mcpgen/protocol" && /^(?:extensions\/[^/]+\/[^/]+\/)?[\d-]+\/vectors\.json$/.test(file)
          ),
      );
      expect({ name, strange }).toEqual({ name, strange: [] });
      for (const text of ["LICENSE", "NOTICE"])
        expect(files.filter((file) => file.split("/").at(-1) === text)).toHaveLength(1);
      expect(files).toContain("README.md");
      expect(files.filter((file) => /^dist\/examples|(?:^|\/)test\/|\.test\./.test(file))).toEqual(
        name === "mcpgen"
          ? ["client", "code", "extension", "server"].map((of) => `templates/skeleton-${of}.test.mjs.hbs`)
          : [],
      );
    }
  });

  test("their manifests name the repository, and nothing that only this repository uses", () => {
    const version = packed.map(({ manifest }) => manifest["version"]);
    expect(new Set(version).size).toBe(1);
    for (const { name, manifest } of packed) {
      const { repository, homepage, bugs, license } = manifest as Record<string, unknown>;
      const { url, directory } = repository as Record<string, string>;
      expect(url).toMatch(/^git\+https:.*\.git$/);
      expect([homepage, bugs, license]).toEqual([expect.any(String), expect.any(String), "MIT"]);
      if (directory !== undefined)
        expect(JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))).toMatchObject({ name });
      for (const key of ["scripts", "devDependencies", "workspaces"])
        expect(manifest).not.toHaveProperty(key);
      expect(JSON.stringify(manifest.exports)).not.toContain("mcpgen-source");
    }
  });

  test("they do not contain source maps, which were two thirds of their size", () => {
    for (const { name, tarball, files } of packed) {
      expect({ name, maps: files.filter((file) => file.endsWith(".map")) }).toEqual({ name, maps: [] });
      const text = execFileSync("tar", ["-xzOf", tarball], { encoding: "utf8", maxBuffer: 2 ** 28 });
      expect(text).not.toMatch(/^\/\/# sourceMappingURL=/m);
    }
  });

  test("every exported entry exists, with its types", () => {
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
        // The types refer to streams and servers of Node.
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

  test("a server: three commands to the first call; then one more tool", () => {
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
    // The project runs without third-party packages. Those that are installed are dependencies of @mcpgen/auth, which
    // only packages installed from a path name.
    const own = join(folder, "hello-without-development");
    mkdirSync(own);
    copyFileSync(join(project, "package.json"), join(own, "package.json"));
    cpSync(join(project, "dist"), join(own, "dist"), { recursive: true });
    npm(own, ["install", "--omit=dev"]);
    const brought = readdirSync(join(own, "node_modules")).filter((name) => !name.startsWith("."));
    for (const name of ["@mcpgen/auth", ...brought.filter((each) => each !== "@mcpgen")])
      rmSync(join(own, "node_modules", name), { recursive: true });
    expect(mcpgen(folder, "list", `stdio:node ${join(own, "dist/main.js")}`)).toContain("add");
  });

  test("a server in code, by npm create", () => {
    const create = join(folder, "node_modules/.bin/create-mcpgen");
    execFileSync(create, ["shop", "--code"], { cwd: folder });
    const project = installed(join(folder, "shop"), ["zod"]);
    expect(tested(project)).toBe("# pass 5,# fail 0");
    expect(mcpgen(project, "call", "stdio:node dist/main.js", "greet", "name=Ada")).toBe(
      '{"greeting":"Hello, Ada."}\n',
    );
    const refused = spawnSync(create, ["--code", "--contract", "x.yaml"], { cwd: folder, encoding: "utf8" });
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("MG2005")]);
  });

  test("a client made from that server, and a server with the same offer for a single revision", () => {
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
  test("a contract that is captured, generated and compiled runs in a project made by hand", () => {
    const source = `stdio:node ${join(folder, "hello/dist/main.js")}`;
    const home = join(folder, "by-hand");
    mkdirSync(home);
    writeFileSync(join(home, "package.json"), JSON.stringify({ type: "module" }));
    mcpgen(home, "capture", source);
    mcpgen(home, "generate", "--contract", "mcp.contract.yaml", "--role", "client", "--out", "generated");
    writeFileSync(
      join(home, "main.ts"),
      `import { connect } from "@mcpgen/runtime";
import { clientRevisions } from "@mcpgen/protocol/client";
import { helloClient } from "./generated/client.js";

const client = await connect(${JSON.stringify(source)}, { revisions: clientRevisions });
const answer = await helloClient(client).tools.greet({ name: "Ada" });
if (!answer.isError) console.log(answer.structuredContent.greeting);
await client.close();
`,
    );
    const tsc = [resolve("node_modules/typescript/bin/tsc"), "--strict", "--module", "nodenext", "main.ts"];
    const options = ["--types", "", "--lib", "es2023,dom", "--target", "es2022", "--skipLibCheck"];
    const compiled = spawnSync(process.execPath, [...tsc, ...options], { cwd: home, encoding: "utf8" });
    expect(compiled.stdout).toBe("");
    expect(execFileSync(process.execPath, ["main.js"], { cwd: home, encoding: "utf8" })).toBe(
      "Hello, Ada.\n",
    );
  });

  test("npx takes mcpgen from the tarballs, and the project that init writes can be installed", () => {
    const home = join(folder, "npx");
    mkdirSync(home);
    const packages = packed.map(({ tarball }) => `--package=${tarball}`);
    const cache = join(folder, "npx-cache");
    const env = { npm_config_cache: cache };
    npm(home, ["exec", "--yes", "--prefer-offline", ...packages, "--", "mcpgen", "init", "server"], env);
    const { dependencies } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as Record<
      string,
      Record<string, string>
    >;
    for (const spec of Object.values(dependencies!)) expect(spec).toMatch(/^file:.*\.tgz$/);
  });

  terminalTest("at a terminal, the user gets four questions, and may cancel", () => {
    const home = join(folder, "at-a-terminal");
    mkdirSync(home);
    const command = [join(folder, "node_modules/.bin/mcpgen"), "init", "server"];
    const left = inPseudoTerminal(command, home, [
      ["How do you write", "\r"],
      ["What is the server called?", "\r"],
      ["Which revisions", "\x03"],
    ]);
    expect(left).toMatchObject({ code: 130, unasked: 0, shown: expect.stringContaining("error MG2016") });
    expect(readdirSync(home)).toEqual([]);
    const made = inPseudoTerminal(command, home, [
      ["How do you write", "\r"],
      ["What is the server called?", "\r"],
      ["Which revisions", "\r"],
      ["Which folder", "\r"],
    ]);
    expect(made).toMatchObject({ code: 0, unasked: 0, shown: expect.stringContaining("npm install") });
    expect(readdirSync(home)).toContain("mcp.contract.yaml");
  });
});
