import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { optionalMethods } from "../targets/typescript/extension/authoring.js";
import { exportedName, functionNames } from "../targets/typescript/extension/roles.js";
import { type ExtensionModel, authoredBase } from "../model/extension-model.js";
import type { Method, Role } from "../model/model.js";
import { memberKey, stringLiteral } from "../print/text.js";
import type { Render } from "../print/templates.js";
import { minimalValid } from "../sample/sample.js";

/** An extension that a new server implements. */
export interface ProjectExtension {
  /** Oldest base first. */
  readonly models: readonly ExtensionModel[];
  /** Id of the revision whose types handlers use; default: the newest base. */
  readonly vocabulary?: string | undefined;
  /** Folder of its modules: a path below `src` that begins with `./`, or an entry of a package. */
  readonly modules: string;
  /** JSON Pointers of the server capabilities that a server must declare with the extension. */
  readonly needs: readonly string[];
}

/** The names of an extension in a project. */
interface Names {
  /** File with its handlers, relative to `src/extensions`, without extension. */
  readonly file: string;
  /** Its exported name in the generated modules. */
  readonly exported: string;
  /** Its local name in the project's files. */
  readonly local: string;
}

/** Names that the project's files use for other values. */
const taken = [
  ...["McpError", "client", "clientRevisions", "connect", "extension", "extensions", "handlers", "process"],
  ...["newServer", "serverRevisions", "show", "test"],
];

/** Names for a project's extensions, all distinct. */
function namesOf(extensions: readonly ProjectExtension[], others: readonly string[]): Names[] {
  const files = new Set<string>();
  const locals = new Set([...taken, ...others]);
  return extensions.map(({ models: [model] }) => {
    const { id } = model!;
    const [, last = ""] = id.split("/");
    const file = files.has(last.toLowerCase()) ? id.replace("/", ".") : last;
    files.add(file.toLowerCase());
    const exported = exportedName(id);
    let local = exported;
    while (locals.has(local)) local += "_";
    locals.add(local);
    return { file, exported, local };
  });
}

/** The parts of a server's main file and tests that concern its extensions. */
export function extensionUse(
  extensions: readonly ProjectExtension[],
  others: readonly string[],
): {
  readonly locals: readonly string[];
  /** Imports of the implementations: names, and specifier relative to `src`. */
  readonly imports: readonly { readonly names: string; readonly module: string }[];
} {
  const names = namesOf(extensions, others);
  return {
    locals: names.map(({ local }) => local),
    imports: names.map(({ file, local }) => ({ names: local, module: `extensions/${file}.js` })),
  };
}

/**
 * Files of a new server that implement its extensions, a client that sends their requests, and a test. The
 * author owns and edits them.
 */
export function extensionFiles(
  extensions: readonly ProjectExtension[],
  render: Render,
  others: readonly string[],
): Map<string, string> {
  if (extensions.length === 0) return new Map();
  const names = namesOf(extensions, others);
  const used = new Set([...taken, ...others, ...names.map(({ local }) => local)]);
  const views = extensions.map((extension, index) => viewOf(extension, names[index]!, used));
  return new Map([
    ...views.map(
      (view) => [`src/extensions/${view.file}.ts`, render("skeleton-extension.ts", view)] as const,
    ),
    ["src/client.ts", render("skeleton-extension-client.ts", { extensions: views })],
    ["test/extensions.test.mjs", render("skeleton-extension.test.mjs", { extensions: views })],
  ]);
}

/** @param used names used in the client; names of functions are added */
function viewOf(
  extension: ProjectExtension,
  { file, exported, local }: Names,
  used: Set<string>,
): Readonly<Record<string, unknown>> & { readonly file: string } {
  const { models, modules, needs } = extension;
  const model = authoredBase(extension);
  const isRelative = modules.startsWith("./");
  const moduleOf = (role: Role): string => `${modules}/${role}${isRelative ? ".js" : ""}`;
  const calls = callsOf(extension, used);
  const answers = requestsOf(model, "client").map(stubView);
  return {
    ...{ file, exported, local, id: model.id, calls, answers },
    alias: exported === local ? exported : `${exported} as ${local}`,
    bases: JSON.stringify(models.map(({ revision }) => revision)),
    serverModule: stringLiteral(isRelative ? `.${moduleOf("server")}` : moduleOf("server")),
    clientModule: stringLiteral(moduleOf("client")),
    testModule: stringLiteral(isRelative ? `../dist/${moduleOf("client").slice(2)}` : moduleOf("client")),
    implementation: stringLiteral(`../dist/extensions/${file}.js`),
    functions: calls.map(({ call, as }) => (call === as ? call : `${call} as ${as}`)),
    handlers: requestsOf(model, "server").map(stubView),
    capabilities: JSON.stringify(capabilitiesOf(needs)),
    serverSettings: settingsOf(model, "server"),
    clientSettings: settingsOf(model, "client"),
    implementsClient: answers.length > 0 || settingsOf(model, "client") !== "",
  };
}

/** `["/resources/subscribe"]` → `{ resources: { subscribe: true } }`; objects are declared as `{}`. */
export function capabilitiesOf(pointers: readonly string[]): JsonObject {
  const capabilities: Record<string, JsonObject> = {};
  for (const pointer of pointers) {
    const [first, second] = pointer.slice(1).split("/");
    capabilities[first!] = { ...capabilities[first!], ...(second !== undefined && { [second]: true }) };
  }
  return capabilities;
}

/** The requests that a role must handle. */
function requestsOf(model: ExtensionModel, receiver: Role): readonly Method[] {
  const optional = new Set(optionalMethods(model));
  return model.methods.filter(
    ({ kind, name, senders }) =>
      kind === "request" && senders.some((sender) => sender !== receiver) && !optional.has(name),
  );
}

function stubView({ name }: Method): object {
  return { key: stringLiteral(name), text: stringLiteral(`${name} is not written yet`) };
}

/** A call of each request that servers must handle, with the smallest valid params. */
function callsOf(
  extension: ProjectExtension,
  used: Set<string>,
): { readonly method: string; readonly call: string; readonly as: string; readonly given: string }[] {
  const model = authoredBase(extension);
  const functions = functionNames("client", extension);
  return requestsOf(model, "server").flatMap(({ name, message, params }) => {
    const call = functions.get(name);
    const sample = minimalValid(model.schema, message);
    if (call === undefined || !isJsonObject(sample)) return [];
    const given = params.presence === "none" ? "" : `, ${literal(withoutMeta(sample["params"]))}`;
    let as = call;
    while (used.has(as)) as += "_";
    used.add(as);
    return [{ method: stringLiteral(name), call, as, given }];
  });
}

function withoutMeta(params: JsonValue | undefined): JsonValue {
  if (!isJsonObject(params)) return {};
  const { _meta, ...rest } = params;
  return rest;
}

/** The settings that a side must declare, as code; empty if there are none. */
function settingsOf({ declared, schema }: ExtensionModel, role: Role): string {
  const definition = declared[role]?.settings;
  if (definition === undefined) return "";
  const sample = minimalValid(schema, definition);
  return isJsonObject(sample) && Object.keys(sample).length > 0 ? literal(sample) : "";
}

/** A value as code: JSON, with keys quoted only if necessary. */
export function literal(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (!isJsonObject(value)) return typeof value === "string" ? stringLiteral(value) : JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${memberKey(key)}: ${literal(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
