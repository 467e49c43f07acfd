import { join } from "node:path";
import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { commentText } from "../print/text.js";
import { markdownText } from "../print/markdown.js";
import type { Render } from "../print/templates.js";
import type { ContractDocument, ContractTool } from "../contract/contract.js";
import { type ProjectExtension, extensionFiles, extensionUse, literal } from "./extension-files.js";
import type { PackageSpecs } from "./package-specs.js";
import { nameInHosts, packageName } from "../contract/project-name.js";
import { bundleCommand } from "../distribution/targets.js";
import { addLine, processTarget } from "../page/offer/connect.js";
import { contractNames } from "../contract/emit/names.js";
import { readToolSchemas } from "../contract/emit/tool-schemas.js";
import { exampleArguments } from "../sample/example-arguments.js";
import { completable } from "../contract/completable.js";
import { handlersStub } from "../sync/stub.js";
import { wantedMembers } from "../sync/wanted.js";
import type { Finding } from "../diagnostics/coded-error.js";
import { jsonIn } from "../files/json-file.js";

/** The folder of generated code, relative to the project. */
export const generatedFolder = "src/generated";

/** The folder of code generated from the schema folder. */
export const protocolFolder = `${generatedFolder}/protocol`;

/** The inputs for the files of a new project. */
export interface ProjectRequest {
  readonly role: "client" | "server";
  readonly document: ContractDocument;
  /** Absolute path of the project. */
  readonly folder: string;
  /** Path of the contract file, relative to the project. */
  readonly contractFile: string;
  /** Whether the contract is the sample, so that its tool is implemented, too. */
  readonly isSample: boolean;
  /** The contract's live server, for the configuration. */
  readonly server?: string | undefined;
  /** Extensions that the server's author implements, without the tasks extension. */
  readonly extensions: readonly ProjectExtension[];
  /** Whether the server runs tasks, or the client's calls may become tasks. */
  readonly tasks: boolean;
  /** Ids of the revisions to support; default: all. */
  readonly speaks?: readonly string[] | undefined;
  /** The specifiers of mcpgen's packages. */
  readonly packages: PackageSpecs;
  readonly render: Render;
}

/** The files of projects of either role, by path. */
export function commonFiles(request: ProjectRequest): Map<string, string> {
  const { role, document, contractFile, render } = request;
  const { title, name, tools = [] } = document.contract;
  const view = {
    title: markdownText(commentText(title ?? name)),
    contract: contractFile,
    ...hostCommands(name, request.folder),
    call: request.isSample ? sampleCall : callOf(tools[0]),
    reads: exampleCall(request) !== undefined,
    check: request.server === undefined ? "npx mcpgen check --server SOURCE" : "npx mcpgen check",
  };
  return new Map([
    ["AGENTS.md", render(`skeleton-${role}-AGENTS.md`, view)],
    ["README.md", render(`skeleton-${role}-README.md`, view)],
    [contractFile, document.text],
    ["mcpgen.config.json", json(projectConfig(request))],
    ["package.json", json(projectPackage(request))],
    ...toolFiles(render),
  ]);
}

/** A call of the tool of a sample. */
const sampleCall = "greet name=Ada";

function toolFiles(render: Render): readonly (readonly [path: string, text: string])[] {
  return [
    [".gitignore", "dist/\nnode_modules/\n"],
    ["tsconfig.json", render("skeleton-tsconfig.json", {})],
    ["watch.mjs", render("skeleton-watch.mjs", {})],
  ];
}

/** The programs of a server: over stdio, and over HTTP. */
function startFiles(render: Render): readonly (readonly [path: string, text: string])[] {
  return ["main", "http"].map((name) => [`src/${name}.ts`, render(`skeleton-server-${name}.ts`, {})]);
}

/** The inputs for the files of a server that is written in code, without a contract. */
export type CodeRequest = Pick<ProjectRequest, "folder" | "packages" | "render"> & { readonly name: string };

/** All files of such a server, by path. The author owns and edits them. */
export function codeFiles(request: CodeRequest): Map<string, string> {
  const { name, folder, render } = request;
  const title = markdownText(commentText(name));
  const view = { title, contract: "", ...hostCommands(name, folder), call: sampleCall };
  return new Map([
    ["AGENTS.md", render("skeleton-code-AGENTS.md", {})],
    ["README.md", render("skeleton-server-README.md", view)],
    ["package.json", json(codePackage(request))],
    ["src/server.ts", render("skeleton-code-server.ts", { name: JSON.stringify(name) })],
    ["test/server.test.mjs", render("skeleton-code.test.mjs", {})],
    ...startFiles(render),
    ...toolFiles(render),
  ]);
}

/** A tool call as a shell command, with a placeholder for each required argument. */
function callOf(tool: ContractTool | undefined): string {
  const { required, properties } = tool?.inputSchema ?? {};
  const names = Array.isArray(required) ? required.map(String) : [];
  const words = names.map((name) => {
    const schema = isJsonObject(properties) ? properties[name] : undefined;
    const type = isJsonObject(schema) ? schema["type"] : undefined;
    const isJson = type === "array" || type === "object";
    return /^\w[\w.-]*$/.test(name) ? `${name}${isJson ? ":" : ""}=…` : "KEY=…";
  });
  return [plainName(tool?.name), ...words].join(" ");
}

/** A tool's name as a shell word; a placeholder if it needs quoting. */
function plainName(name: string | undefined): string {
  return name !== undefined && /^\w[\w./-]*$/.test(name) ? name : "TOOL";
}

/** Folder with the JSON Schemas for editors, in installed packages, so that no network is needed. */
const schemaFolder = "node_modules/mcpgen/docs";

/** The content of `mcpgen.config.json` for the project's contract. */
export function projectConfig({ contractFile, role, server, extensions }: ProjectRequest): object {
  return {
    $schema: `./${schemaFolder}/config.schema.json`,
    ...(extensions.some(({ modules }) => modules.startsWith("./")) && { out: protocolFolder }),
    contracts: [{ file: contractFile, out: generatedFolder, role, ...(server !== undefined && { server }) }],
  };
}

/** Version of TypeScript for development. */
const typescript = "^7.0.2";

/** Version of zod in servers that are written in code. */
const zod = "^4.6.7";

/** The project's package.json. */
export function projectPackage(request: ProjectRequest): Record<string, unknown> {
  const { document, role, packages, extensions, tasks } = request;
  return manifest(packageName(document.contract.name, role), packages, {
    role,
    dev: role === "server" ? "mcpgen dev --open" : "node watch.mjs",
    scripts: extensions.length > 0 ? { client: "tsc && node dist/client.js" } : {},
    tasks,
  });
}

/** The package.json of a server that is written in code. */
export function codePackage({ name, packages }: CodeRequest): Record<string, unknown> {
  const parts = { role: "server", dev: "node watch.mjs", more: { zod } } as const;
  return manifest(packageName(name, "server"), packages, parts);
}

interface ManifestParts {
  readonly role: ProjectRequest["role"];
  /** The script `dev`. */
  readonly dev: string;
  readonly scripts?: { readonly [name: string]: string };
  readonly tasks?: boolean;
  /** Dependencies besides mcpgen's packages. */
  readonly more?: { readonly [name: string]: string };
}

function manifest(
  name: string,
  { specs, origin }: PackageSpecs,
  { role, dev, scripts, tasks, more }: ManifestParts,
): Record<string, unknown> {
  const serves = role === "server";
  return {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: {
      build: "tsc",
      // Includes compilation, so that a fresh clone starts; compiling takes a fraction of a second.
      start: "tsc && node dist/main.js",
      ...(serves && { http: "tsc && node dist/http.js" }),
      dev,
      test: "tsc && node --test",
      "test:watch": "node watch.mjs",
      ...scripts,
    },
    dependencies: {
      // A registry provides the dependencies of mcpgen's packages; for a path, npm needs them listed. All are
      // runtime dependencies, because development dependencies are missing in production.
      ...(origin !== "registry" && {
        "@mcpgen/auth": specs["@mcpgen/auth"],
        "@mcpgen/base": specs["@mcpgen/base"],
        "@mcpgen/engine": specs["@mcpgen/engine"],
      }),
      ...(serves && { "@mcpgen/cluster": specs["@mcpgen/cluster"] }),
      "@mcpgen/protocol": specs["@mcpgen/protocol"],
      "@mcpgen/runtime": specs["@mcpgen/runtime"],
      ...((tasks || origin !== "registry") && { "@mcpgen/tasks": specs["@mcpgen/tasks"] }),
      ...more,
    },
    devDependencies: {
      // mcpgen alone needs it.
      ...(origin !== "registry" && { "@mcpgen/bridge": specs["@mcpgen/bridge"] }),
      "@mcpgen/testing": specs["@mcpgen/testing"],
      mcpgen: specs.mcpgen,
      typescript,
    },
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** @param folder absolute path of the project */
function hostCommands(name: string, folder: string): { readonly add: string; readonly bundle: string } {
  const target = processTarget(["node", join(folder, "dist", "main.js")]);
  return { add: addLine(nameInHosts(name), target), bundle: bundleCommand };
}

/** The files of a client project only, by path. The author owns and edits them. */
export function clientFiles(request: ProjectRequest): Map<string, string> {
  const { document, speaks, tasks, render } = request;
  const { contract } = document;
  const { clientType: type, clientFunction: make } = contractNames(contract);
  const names = { type, make };
  // For a name without lower case letters, type and function have the same name, which is imported once.
  const imported = names.type === names.make ? names.make : `type ${names.type}, ${names.make}`;
  const revisions =
    speaks === undefined
      ? "clientRevisions"
      : `clientRevisions.filter(({ id }) => ${JSON.stringify(speaks)}.includes(id))`;
  return new Map([
    ["src/client.ts", render("skeleton-client.ts", { ...names, imported, revisions, tasks })],
    ["src/main.ts", render("skeleton-client-main.ts", mainView(request))],
    ["test/client.test.mjs", render("skeleton-client.test.mjs", names)],
  ]);
}

function mainView(request: ProjectRequest): object {
  return { example: exampleCall(request), call: commentText(callOf(request.document.contract.tools?.[0])) };
}

/**
 * A call of the first tool that only reads, as code. Another tool might change something, and is left to the
 * author.
 *
 * @returns undefined without such a tool, and if no arguments for it are known
 */
function exampleCall({ document: { contract } }: ProjectRequest): string | undefined {
  const { tools = [] } = contract;
  const schemas = readToolSchemas(contract);
  for (const [index, tool] of tools.entries()) {
    if (tool.annotations?.["readOnlyHint"] !== true) continue;
    const args = exampleArguments(tool.inputSchema, schemas[index]!.input);
    const { method } = contractNames(contract).tools.get(tool.name)!;
    if (args !== undefined) return `${method}(${literal(args)})`;
  }
  return undefined;
}

/**
 * The text of the sample contract for a new server.
 *
 * @param capabilities capabilities that extensions need
 */
export function sampleContract(name: string, render: Render, capabilities: object = {}): string {
  const declared = Object.keys(capabilities).length === 0 ? "" : JSON.stringify(capabilities);
  // JSON values are valid YAML.
  return render("skeleton-contract.yaml", { name: JSON.stringify(name), capabilities: declared });
}

/** The names that a server's files import to run tasks. */
const taskNames = ["tasks", "tasksExtension"];

/** The files of a server project only, by path. The author owns and edits them. */
export function serverFiles(request: ProjectRequest): Map<string, string> {
  const { document, isSample, speaks, extensions, tasks, render } = request;
  const { contract } = document;
  const create = contractNames(contract).createServer;
  const module = "./generated/server.js";
  const handlers = isSample
    ? render("skeleton-handlers.ts", {})
    : handlersStub(wantedMembers(contract), module, completable(contract));
  const revisions =
    speaks === undefined
      ? "serverRevisions"
      : `{ known: serverRevisions, speaks: ${JSON.stringify(speaks)} }`;
  const names = [create, ...(tasks ? taskNames : [])];
  const { locals, imports } = extensionUse(extensions, names);
  const all = [...(tasks ? ["tasks(tasksExtension)"] : []), ...locals];
  const used = all.length === 0 ? "" : `, extensions: [${all.join(", ")}]`;
  const options = `{ revisions: ${revisions}${used} }`;
  const view = { create, options, imports, tasks };
  return new Map([
    ["src/handlers.ts", handlers],
    ["src/server.ts", render("skeleton-server-server.ts", view)],
    ["test/server.test.mjs", render("skeleton-server.test.mjs", { isSample })],
    ...startFiles(render),
    ...extensionFiles(extensions, render, names),
  ]);
}

/**
 * Reports the members that an existing JSON file lacks for the project. The file is never changed; the
 * finding lists what to add.
 *
 * @param file the file's path in messages
 * @param text the present content
 * @param wanted the content of a new file
 * @param keys the members of `wanted` that the project needs
 * @param next advice
 */
export function lackFinding(
  file: string,
  text: string,
  wanted: object,
  keys: readonly string[],
  next: string,
): Finding | undefined {
  const present = jsonIn(text);
  const needed = Object.fromEntries(Object.entries(wanted).filter(([key]) => keys.includes(key)));
  const lack = isJsonObject(present) ? lacking(present, needed as JsonObject) : (needed as JsonObject);
  if (lack === undefined) return undefined;
  const parts = isJsonObject(present)
    ? `, and lacks ${pathsOf(lack).join(", ")}`
    : ", but is not a JSON object";
  return {
    code: "MG6401",
    severity: "warning",
    message: `the file is unchanged${parts}`,
    place: { file },
    next,
    detail: JSON.stringify(lack, null, 2),
  };
}

/** The part of `wanted` that `present` lacks; undefined if it has all. */
function lacking(present: JsonObject, wanted: JsonObject): JsonObject | undefined {
  const entries = Object.entries(wanted).flatMap(([key, value]): [string, JsonValue][] => {
    const there = Object.hasOwn(present, key) ? present[key] : undefined;
    if (Array.isArray(value)) {
      const held = Array.isArray(there) ? there : [];
      const rest = value.filter((item) => !held.some((each) => holds(each, item)));
      return rest.length > 0 ? [[key, rest]] : [];
    }
    if (isJsonObject(value)) {
      const rest = isJsonObject(there) ? lacking(there, value) : value;
      return rest === undefined ? [] : [[key, rest]];
    }
    return isGiven(key, there) ? [] : [[key, value!]];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Whether an item of a list is the wanted one, possibly with further members. */
function holds(present: JsonValue, wanted: JsonValue): boolean {
  if (!isJsonObject(present) || !isJsonObject(wanted))
    return JSON.stringify(present) === JSON.stringify(wanted);
  return Object.entries(wanted).every(
    ([key, value]) => JSON.stringify(present[key]) === JSON.stringify(value),
  );
}

/**
 * Whether a different value counts as the author's choice, such as versions and scripts. The defaults of `npm init` do
 * not count: a failing test script, and CommonJS.
 */
function isGiven(key: string, there: JsonValue | undefined): boolean {
  if (key === "type") return there === "module";
  return typeof there === "string" && !there.includes("no test specified");
}

/** Paths of missing members, such as `scripts.build`. */
function pathsOf(lack: JsonObject): string[] {
  return Object.entries(lack).flatMap(([key, value]) =>
    isJsonObject(value) ? Object.keys(value).map((member) => `${key}.${member}`) : [key],
  );
}
