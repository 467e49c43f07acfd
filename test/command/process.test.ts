import { spawn, spawnSync } from "node:child_process";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtCli } from "../built-cli.js";
import { temporaryFolder } from "../temporary-folder.js";
import { smallProject } from "./small-protocol.js";

const cli = builtCli();

function mcpgen(cwd: string, args: readonly string[], env: Record<string, string> = {}) {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(CI|NO_COLOR|FORCE_COLOR|NODE_OPTIONS)$/.test(name),
  );
  const ran = spawnSync(process.execPath, [cli, ...args], {
    cwd,
    encoding: "utf8",
    env: { ...Object.fromEntries(inherited), ...env },
  });
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

/** A small project, generated, found in order and in the cache. */
async function project(): Promise<string> {
  const directory = await smallProject({ "node_modules/.keep": "" });
  expect(mcpgen(directory, ["generate"]).code).toBe(0);
  expect(mcpgen(directory, ["check"]).code).toBe(0);
  return directory;
}

describe("the exit code of the process", () => {
  const directory = (): string => temporaryFolder({ "draft/schema.json": "{", "x/schema.json": "{}" });
  test.each<[number, string[]]>([
    [0, ["--version"]],
    [0, ["revision", "list"]],
    [2, ["revision", "add", "x/schema.json"]],
    [3, ["revision", "add", "draft/schema.json"]],
    [4, ["revision", "add", "http://127.0.0.1:1/draft/schema.json"]],
  ])("%i: mcpgen %j", (code, args) => {
    expect(mcpgen(directory(), args).code).toBe(code);
  });
});

test("what a configuration prints while it is imported is no part of the result", () => {
  const directory = temporaryFolder({
    "mcpgen.config.js": 'console.log("hello"); process.stdout.write("there\\n"); export default {};',
  });
  const { stdout, stderr } = mcpgen(directory, ["revision", "list", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ format: 1, exit: 0 });
  expect(stderr).toBe("hello\nthere\n");
});

test("a module of the user's that throws later is reported, not a crash of Node.js", () => {
  const directory = temporaryFolder({
    "mcpgen.config.js":
      'setImmediate(() => { throw new Error("later"); });\nawait new Promise((r) => setTimeout(r, 50));\nexport default {};',
  });
  const { code, stderr } = mcpgen(directory, ["check"]);
  expect([code, stderr]).toEqual([70, "error MG7001: a bug in mcpgen: later\n"]);
});

describe("a signal", () => {
  const ended = (child: ReturnType<typeof spawn>): Promise<unknown> =>
    new Promise((done) => child.on("close", (code, signal) => done(signal ?? code)));

  test.each(["SIGINT", "SIGTERM"] as const)(
    "%s ends a busy run at once, with nothing written",
    async (signal) => {
      const directory = await smallProject();
      writeFileSync(join(directory, "mcpgen.config.js"), 'process.stderr.write("busy"); for (;;);');
      const child = spawn(process.execPath, [cli, "generate"], {
        cwd: directory,
        stdio: ["ignore", "ignore", "pipe"],
      });
      child.stderr.on("data", () => child.kill(signal));
      expect(await ended(child)).toBe(signal);
      expect(readdirSync(directory)).not.toContain("generated");
    },
  );

  test("that arrives while files are put in place ends the run when all of them are", async () => {
    const directory = await smallProject();
    const whole = mcpgen(directory, ["generate", "--out", "whole"]);
    expect(whole.code).toBe(0);
    writeFileSync(
      join(directory, "hook.mjs"),
      `import fs from "node:fs";
      import { syncBuiltinESMExports } from "node:module";
      const { renameSync } = fs;
      fs.renameSync = (...args) => (renameSync(...args), process.kill(process.pid, "SIGTERM"));
      syncBuiltinESMExports();`,
    );
    const child = spawn(process.execPath, ["--import", `./hook.mjs`, cli, "generate"], { cwd: directory });
    expect(await ended(child)).toBe("SIGTERM");
    expect(readdirSync(join(directory, "generated"), { recursive: true }).sort()).toEqual(
      readdirSync(join(directory, "whole"), { recursive: true }).sort(),
    );
  });
});

test("a reader that goes away is no error", async () => {
  const child = spawn(process.execPath, [cli, "explain", "--json"], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise((done) => child.on("close", done));
  expect([code, stderr]).toEqual([0, ""]);
});

test("colours are for those who ask, as long as no terminal is there", () => {
  const directory = temporaryFolder();
  expect(mcpgen(directory, ["bogus"]).stderr).not.toContain("\x1b[");
  expect(mcpgen(directory, ["bogus", "--color=always"], { NO_COLOR: "1" }).stderr).toContain("\x1b[");
});

describe("check answers from its cache while nothing has changed", () => {
  const cached = "nothing changed since the last complete run";
  const check = (directory: string, args: string[] = [], env = {}) =>
    mcpgen(directory, ["check", "--verbose", ...args], env);

  test("and only then", async () => {
    const directory = await project();
    expect(check(directory)).toMatchObject({ code: 0, stderr: expect.stringContaining(cached) as string });
    expect(check(directory, ["--full"]).stderr).not.toContain(cached);
    expect(check(directory, [], { CI: "true" }).stderr).not.toContain(cached);

    const types = join(directory, "generated/2030-01-01/types.ts");
    const text = readFileSync(types, "utf8");
    writeFileSync(types, text.replace("text", "tixt"));
    expect(check(directory).code).toBe(1);
    writeFileSync(types, text);
    writeFileSync(join(directory, "generated/extra.ts"), "");
    expect(check(directory).code).toBe(1);
  });

  test("and not when the schema or an option changed", async () => {
    const directory = await project();
    const schema = join(directory, "schema/2030-01-01/schema.json");
    const text = readFileSync(schema, "utf8");
    writeFileSync(schema, text.replace("EchoResult", "EchoResults"));
    expect(check(directory).code).not.toBe(0);
    writeFileSync(schema, text);
    writeFileSync(join(directory, "mcpgen.config.json"), '{"importExtension":"ts"}');
    expect(check(directory)).toMatchObject({ code: 1, stdout: expect.stringContaining("MG3101") as string });
  });

  test("and not when output was generated from a schema that was edited", async () => {
    const directory = await project();
    const schema = join(directory, "schema/2030-01-01/schema.json");
    writeFileSync(schema, readFileSync(schema, "utf8").replaceAll("EchoResult", "EchoResults"));
    expect(mcpgen(directory, ["generate"]).code).toBe(0);
    for (const args of [[], ["--full"]]) {
      const { code, stdout } = check(directory, args);
      expect(code).toBe(1);
      expect(stdout).toContain("MG3105");
      expect(stdout).toContain("1 finding\n");
    }
  });

  test("without loading what generates", async () => {
    const directory = await project();
    const hook = join(directory, "hook.mjs");
    writeFileSync(hook, refuseGenerators);
    const register = `import { register } from "node:module"; register(${JSON.stringify(`file://${hook}`)});`;
    writeFileSync(join(directory, "register.mjs"), register);
    const options = { NODE_OPTIONS: `--import=file://${join(directory, "register.mjs")}` };
    expect(check(directory, [], options)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("up to date") as string,
    });
    expect(check(directory, ["--full"], options)).toMatchObject({
      code: 70,
      stderr: expect.stringContaining("loaded ") as string,
    });
  });

  test("and writes to neither schema nor output", async () => {
    const directory = await project();
    const times = (): object[] =>
      readdirSync(directory, { recursive: true, encoding: "utf8" })
        .filter((path) => !path.startsWith("node_modules"))
        .map((path) => ({ path, written: statSync(join(directory, path)).mtimeMs }));
    const before = times();
    check(directory, ["--full"]);
    check(directory);
    expect(times()).toEqual(before);
  });
});

/** A module loader that fails when one of the heavy libraries is asked for. */
const refuseGenerators = `
  export async function resolve(specifier, context, next) {
    if (/^(prettier|handlebars|diff)/.test(specifier)) throw new Error("loaded " + specifier);
    return next(specifier, context);
  }
`;

test("TypeScript is imported where Node.js can, and refused with a way out where it cannot", () => {
  const directory = temporaryFolder({
    "mcpgen.config.ts": 'const out: string = "typed";\nexport default { out };\n',
  });
  const { code, stderr } = mcpgen(directory, ["revision", "list"]);
  const [major, minor] = process.versions.node.split(".").map(Number) as [number, number];
  const canImport = major > 23 || (major === 22 && minor >= 18) || (major === 23 && minor >= 6);
  expect([code, stderr]).toEqual(canImport ? [0, ""] : [2, expect.stringContaining("error MG2104")]);
});
