import { copyFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { bundleCommand } from "../../generator/distribution/targets.js";
import { isThorough } from "../support/cases.mjs";
import { temporaryFolder } from "../support/temporary-folder.js";
import { type Ran, mcpgen } from "../support/in-process.js";

const contract = `name: weather
title: The weather
version: 1.2.3
instructions: Ask for a city.
tools:
  - { name: get_weather, description: "Returns the weather.\\nAnd more.", inputSchema: { type: object } }
prompts: [{ name: trip }]
`;
const manifest = {
  name: "@ada/weather",
  version: "1.2.4",
  description: "Weather of cities",
  license: "MIT",
  author: "Ada Lovelace <ada@example.com> (https://example.com)",
  homepage: "https://example.com/weather",
  keywords: ["weather"],
  repository: { type: "git", url: "git+https://github.com/ada/servers.git", directory: "weather" },
};

interface Project {
  readonly folder: string;
  readonly run: (...words: string[]) => Promise<Ran>;
  readonly read: (file: string) => string;
  readonly json: (file: string) => Record<string, unknown>;
}

function project(more: object = {}, files: Readonly<Record<string, string>> = {}): Project {
  const folder = temporaryFolder({
    "mcp.contract.yaml": contract,
    "package.json": JSON.stringify({ ...manifest, ...more }),
    ...files,
  });
  const read = (file: string): string => readFileSync(join(folder, file), "utf8");
  return {
    folder,
    run: (...words) => mcpgen(folder, ["package", ...words]),
    read,
    json: (file) => JSON.parse(read(file)) as Record<string, unknown>,
  };
}

const text = { type: "string", minLength: 1 };
const address = { type: "string", pattern: "^https://" };

/** The schema of server.json, 2025-12-11, for the members that are written. */
const serverJson = {
  type: "object",
  required: ["$schema", "name", "description", "version"],
  additionalProperties: false,
  properties: {
    $schema: { const: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" },
    name: { type: "string", pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", minLength: 3, maxLength: 200 },
    title: { ...text, maxLength: 100 },
    description: { ...text, maxLength: 100 },
    version: { ...text, maxLength: 255, not: { pattern: "[~^*<>=x]|latest" } },
    websiteUrl: address,
    repository: {
      type: "object",
      required: ["url", "source"],
      additionalProperties: false,
      properties: {
        url: address,
        source: text,
        id: text,
        subfolder: { type: "string", not: { pattern: "^/|\\.\\." } },
      },
    },
    packages: {
      type: "array",
      items: {
        type: "object",
        required: ["registryType", "identifier", "transport"],
        additionalProperties: false,
        properties: {
          registryType: { enum: ["npm", "pypi", "oci", "nuget", "mcpb"] },
          identifier: text,
          version: { ...text, not: { const: "latest" } },
          transport: { type: "object", required: ["type"], properties: { type: { enum: ["stdio"] } } },
        },
      },
    },
    remotes: {
      type: "array",
      items: {
        type: "object",
        required: ["type", "url"],
        properties: { type: { enum: ["streamable-http", "sse"] }, url: address },
      },
    },
  },
};

/** The requirements of MANIFEST.md of MCP bundles, 0.3, on the members that are written. */
const bundleManifest = {
  type: "object",
  required: ["manifest_version", "name", "version", "description", "author", "server"],
  additionalProperties: false,
  properties: {
    manifest_version: { const: "0.3" },
    name: text,
    display_name: text,
    version: { type: "string", pattern: "^\\d+\\.\\d+\\.\\d+" },
    description: text,
    long_description: text,
    author: {
      type: "object",
      required: ["name"],
      additionalProperties: false,
      properties: { name: text, email: { type: "string", pattern: "@" }, url: address },
    },
    repository: {
      type: "object",
      required: ["type", "url"],
      additionalProperties: false,
      properties: { type: text, url: address },
    },
    homepage: address,
    license: text,
    keywords: { type: "array", items: text },
    server: {
      type: "object",
      required: ["type", "entry_point", "mcp_config"],
      additionalProperties: false,
      properties: {
        type: { enum: ["python", "node", "binary"] },
        entry_point: text,
        mcp_config: {
          type: "object",
          required: ["command"],
          additionalProperties: false,
          properties: { command: text, args: { type: "array", items: text } },
        },
      },
    },
    tools: {
      type: "array",
      items: {
        type: "object",
        required: ["name"],
        additionalProperties: false,
        properties: { name: text, description: text },
      },
    },
    prompts_generated: { type: "boolean" },
    compatibility: {
      type: "object",
      additionalProperties: false,
      properties: { runtimes: { type: "object", properties: { node: text } } },
    },
  },
};

function expectValid(schema: object, value: unknown): void {
  const validate = new Ajv().compile(schema);
  expect([validate(value), validate.errors]).toEqual([true, null]);
}

describe("registry", () => {
  test("server.json is made of contract and package.json", async () => {
    const { run, json } = project({ mcpName: "io.github.ada/weather", bin: "dist/main.js", files: ["dist"] });
    const ran = await run("registry");
    expect([ran.code, ran.stderr, ran.stdout]).toEqual([
      0,
      "",
      "CREATE  server.json\n1 file written\nRun: mcp-publisher login github && mcp-publisher publish\n",
    ]);
    const written = json("server.json");
    expectValid(serverJson, written);
    expect(written).toEqual({
      $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
      name: "io.github.ada/weather",
      title: "The weather",
      description: "Weather of cities",
      repository: { url: "https://github.com/ada/servers", source: "github", subfolder: "weather" },
      version: "1.2.4",
      websiteUrl: "https://example.com/weather",
      packages: [
        { registryType: "npm", identifier: "@ada/weather", version: "1.2.4", transport: { type: "stdio" } },
      ],
    });
  });

  test("a warning names what package.json lacks for npm; the namespace is the owner's at GitHub", async () => {
    const { run, json } = project({ private: true }, { "src/main.ts": "// starts\n" });
    const { code, stdout } = await run("registry");
    expect(code).toBe(0);
    expect(stdout).toContain("package.json: warning MG6701: lacks mcpName, private, bin, files");
    expect(stdout).toContain('"mcpName": "io.github.ada/weather"');
    expect(stdout).toContain("src/main.ts:1: warning MG6701");
    expectValid(serverJson, json("server.json"));
  });

  test("a server that is only on the network has no package", async () => {
    const { run, json } = project({ private: true });
    expect(await run("registry", "--remote", "https://example.com/mcp")).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect(json("server.json")).toMatchObject({
      remotes: [{ type: "streamable-http", url: "https://example.com/mcp" }],
    });
    expect(json("server.json")).not.toHaveProperty("packages");
    expectValid(serverJson, json("server.json"));
  });

  test("long texts are cut", async () => {
    const { run, json } = project({ description: `${"word ".repeat(40)}😀` });
    await run("registry");
    expectValid(serverJson, json("server.json"));
    expect(json("server.json")["description"]).toMatch(/^(word )+word…$/);
  });
});

describe("mcpb", () => {
  test("the manifest describes a single file", async () => {
    const { run, json, read } = project();
    const ran = await run("mcpb");
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(ran.stdout).toContain(`Run: ${bundleCommand} && npx @anthropic-ai/mcpb pack`);
    const written = json("manifest.json");
    expectValid(bundleManifest, written);
    expect(written).toMatchObject({
      name: "weather",
      display_name: "The weather",
      version: "1.2.3",
      author: { name: "Ada Lovelace", email: "ada@example.com", url: "https://example.com" },
      server: { entry_point: "dist/server.mjs", mcp_config: { args: ["${__dirname}/dist/server.mjs"] } },
      tools: [{ name: "get_weather", description: "Returns the weather." }],
      prompts_generated: true,
    });
    expect(read(".mcpbignore")).toContain("*\n!manifest.json\n!dist\ndist/*\n!dist/server.mjs\n");
  });

  test("an author is required, and an option sets it", async () => {
    const { run, json } = project({ author: undefined });
    const ran = await run("mcpb");
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringMatching(/package\.json \/author: error MG6702.*\n.*--author/),
    ]);
    expect((await run("mcpb", "--author", "Ada")).code).toBe(0);
    expect(json("manifest.json")).toMatchObject({ author: { name: "Ada" } });
  });
});

test("docker: everything that the Dockerfile copies passes .dockerignore, and its scripts are there", async () => {
  const folder = temporaryFolder();
  await mcpgen(folder, ["init", "server", "weather"]);
  const there = join(folder, "weather");
  const ran = await mcpgen(there, ["package", "docker"]);
  expect(ran.code).toBe(0);
  // Packages of this checkout lie outside of the project.
  expect(ran.stdout).toMatch(/package\.json: warning MG6701: @mcpgen\/.* outside of the project/);
  const dockerfile = readFileSync(join(there, "Dockerfile"), "utf8");
  const ignored = readFileSync(join(there, ".dockerignore"), "utf8").split("\n");
  const { scripts } = JSON.parse(readFileSync(join(there, "package.json"), "utf8")) as { scripts: object };
  expect(Object.keys(scripts)).toContain("build");
  for (const path of ["package.json", "src", "tsconfig.json"]) {
    expect(existsSync(join(there, path)), path).toBe(true);
    expect(ignored).toContain(`!${path}`);
  }
  expect(ignored).toContain("!package-lock.json");
  expect(dockerfile).toContain("RUN npm run build && npm prune --omit=dev\n");
  expect(dockerfile).toContain('ENTRYPOINT ["node", "dist/main.js"]\n');
  expect(dockerfile).toMatch(/^USER node$/m);
  // The namespace is not known, and the registry would compare an invented one with its own.
  expect(dockerfile).not.toContain("LABEL");
  const naming = ["--replace", "--registry-name", "io.github.ada/weather"];
  const named = await mcpgen(there, ["package", "docker", ...naming]);
  expect(named.code).toBe(0);
  const labelled = readFileSync(join(there, "Dockerfile"), "utf8");
  expect(labelled).toMatch(/^LABEL io\.modelcontextprotocol\.server\.name="io\.github\.ada\/weather"$/m);
});

test("existing files are replaced only with --replace; a second run changes nothing", async () => {
  const { run, folder, read } = project();
  expect((await run("docker", "--dry-run")).stdout).toContain("2 files would be written (--dry-run)");
  expect(existsSync(join(folder, "Dockerfile"))).toBe(false);
  await run("docker");
  expect((await run("docker")).stdout).toMatch(
    /^SKIP .*Dockerfile\nSKIP .*\.dockerignore\n0 files written\n/,
  );
  writeFileSync(join(folder, "Dockerfile"), "FROM mine\n");
  const refused = await run("docker");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("Dockerfile: error MG6310")]);
  expect(read("Dockerfile")).toBe("FROM mine\n");
  expect((await run("docker", "--replace")).stdout).toContain("REPLACE  Dockerfile");
  const { stdout } = await run("docker", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    exit: 0,
    files: { Dockerfile: expect.stringContaining("FROM node") },
  });
});

test.each<[string[], object, string, RegExp]>([
  [["registry"], { repository: undefined }, "MG6702", /--registry-name io\.github\.OWNER\/NAME/],
  [["registry", "--registry-name", "weather"], {}, "MG2004", /io\.github\.OWNER/],
  [["registry", "--remote", "http://x"], {}, "MG2004", /reach/],
  [["npm"], {}, "MG2004", /these|mean/],
  [["docker", "--contract", "none.yaml"], {}, "MG1001", /path/],
])("%j is refused with %s", async (words, more, code, next) => {
  const ran = await project(more).run(...words);
  expect(ran.stderr).toContain(`error ${code}: `);
  expect(ran.stderr.split("→")[1]).toMatch(next);
});

test("without a contract or package.json there is nothing to package", async () => {
  expect((await mcpgen(temporaryFolder(), ["package", "docker"])).stderr).toContain("MG2003");
  const folder = temporaryFolder({ "mcp.contract.yaml": contract });
  expect((await mcpgen(folder, ["package", "docker"])).stderr).toContain("MG6702");
});

test("the documentation shows the command that makes one file", () => {
  expect(readFileSync("docs/command-line-projects.md", "utf8")).toContain(`\n${bundleCommand}\n`);
});

test("the one file that is built serves from an empty folder", async () => {
  const folder = temporaryFolder();
  await mcpgen(folder, ["init", "server", "weather"]);
  const there = join(folder, "weather");
  symlinkSync(resolve("node_modules"), join(there, "node_modules"));
  const [npx, program, ...args] = bundleCommand.replaceAll('\\"', '"').split(" ");
  expect([npx, program]).toEqual(["npx", "esbuild"]);
  execFileSync(resolve("node_modules/.bin/esbuild"), [...args, "--log-level=error"], { cwd: there });
  const alone = temporaryFolder();
  copyFileSync(join(there, "dist/server.mjs"), join(alone, "server.mjs"));
  const revisions = isThorough ? ["2025-11-25", "2026-07-28"] : ["2026-07-28"];
  for (const revision of revisions) {
    const call = ["call", "stdio:node server.mjs", "greet", "name=Ada", "--revision", revision];
    const ran = await mcpgen(alone, call);
    expect([ran.stderr, ran.stdout]).toEqual(["", '{"greeting":"Hello, Ada."}\n']);
    // A refused call also loads the module that explains the error.
    const refused = await mcpgen(alone, [...call.slice(0, 3), "--args", "{}", "--revision", revision]);
    expect(refused.stdout).toContain("name");
    expect(refused.code).toBe(1);
  }
});
