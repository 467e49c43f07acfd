import type { Method, Role } from "../../../model/model.js";
import { arrayLayout, laidOut, memberLine, objectLayout, stringsLayout } from "../../../print/code-layout.js";
import { type Layout, width } from "../../../print/layout.js";
import { capitalised, identifiersFor, docComment, stringLiteral } from "../../../print/text.js";
import { presenceOf } from "../authoring/authored-schema.js";
import { maps } from "../authoring/emit.js";
import { type Emitter, type Files, type WholeExtensionInput, sharedModule } from "../emitter.js";
import { pathLayout } from "../methods/facts.js";
import { type TypesOfMethods, stubsOf } from "../stubs/emit.js";
import { nameOperations } from "../stubs/operations.js";
import { importTypes } from "../types/print.js";
import { type ExtensionVocabulary, extensionVocabulary, messageType, typesName } from "./authoring.js";
import { authoredBase } from "../../../model/extension-model.js";

/**
 * Emits `client.ts`: an extension for clients over all its bases, with a function for each message that
 * clients send.
 */
export const emitExtensionForClients: Emitter<WholeExtensionInput> = (input) => emitRole("client", input);

/** Emits `server.ts`: the same for servers. */
export const emitExtensionForServers: Emitter<WholeExtensionInput> = (input) => emitRole("server", input);

function emitRole(role: Role, input: WholeExtensionInput): Files {
  const { models, folder, origin, importExtension, render, needs, description } = input;
  const vocabulary = extensionVocabulary(input);
  const { id, version } = vocabulary.model;
  const { name, kind, identifiers, used } = namesIn(role, models);
  const types = typesOf(role, vocabulary);
  const { stubs, modelTypes } = stubsOf(vocabulary.model, role, used, types);
  const mapNames = maps
    .map((map) => map.name)
    .filter((map) => stubs.some(({ parameters, result }) => `${parameters} ${result}`.includes(`${map}[`)));
  const declared = declaration(`export const ${name}: ${kind}<${typesName}> =`, `${role}Extension`, [
    ["format", "1"],
    ["id", stringLiteral(id)],
    ["version", stringLiteral(version)],
    ["role", stringLiteral(role)],
    ["bases", basesLayout(models.map(({ revision }) => [revision, identifiers.get(`table ${revision}`)!]))],
    ...vocabularyMember(input),
    ...needsMember(needs),
  ]);
  const content = render("extension.ts", {
    ...{ origin, importExtension, role, kind, stubs },
    make: `${role}Extension`,
    modules: { extending: sharedModule(input, "extending") },
    modelImport: importTypes(modelTypes, sharedModule(input, "model")),
    authoring: importTypes([typesName, ...mapNames], `./authoring.${importExtension}`),
    open: stubs.some(({ result }) => result.includes("ClientResults["))
      ? importTypes(["ClientResults"], `./open.${importExtension}`)
      : "",
    doc: docComment([description ?? `The extension ${id} for a ${role}.`]),
    declaration: declared,
    bases: models.map(({ revision }) => ({ folder: revision, name: identifiers.get(`table ${revision}`)! })),
  });
  return new Map([[`${folder}/${role}.ts`, laidOut(content)]]);
}

/** `head make({ … });`, with line breaks as prettier makes them. */
function declaration(head: string, make: string, members: readonly (readonly [string, Layout])[]): string {
  const called = `/* @__PURE__ */ ${make}(`;
  const object = (depth: number): string =>
    ["{", ...members.map(([key, value]) => "  " + memberLine(depth + 1, key, value)), "}"]
      .map((line) => "  ".repeat(depth) + line)
      .join("\n");
  const room = width - `${head} ${called}`.length;
  if (room >= "{".length) return `${head} ${called}${object(0)});`;
  return room === 0
    ? `${head} ${called}\n${object(1)},\n);`
    : `${head}\n  ${called}${object(1).trimStart()});`;
}

function basesLayout(bases: readonly (readonly [revision: string, table: string])[]): Layout {
  const pairs = bases.map(([revision, table]) => arrayLayout([stringLiteral(revision), table]));
  return ["/* @__PURE__ */ new Map(", arrayLayout(pairs, true), ")"];
}

/** The names that the module of a role uses besides those of its functions. */
function namesIn(
  role: Role,
  models: WholeExtensionInput["models"],
): {
  readonly name: string;
  readonly kind: string;
  readonly identifiers: ReadonlyMap<string, string>;
  readonly used: ReadonlySet<string>;
} {
  const name = exportedName(models[0]!.id);
  const kind = `${capitalised(role)}Extension`;
  const identifiers = identifiersFor(models.map(({ revision }) => `table ${revision}`));
  return {
    ...{ name, kind, identifiers },
    used: new Set([name, kind, typesName, `${role}Extension`, ...identifiers.values()]),
  };
}

/** The function names in a role's module, by method that the role sends. */
export function functionNames(
  role: Role,
  input: Pick<WholeExtensionInput, "models" | "vocabulary">,
): ReadonlyMap<string, string> {
  const { methods } = authoredBase(input);
  const sent = methods.filter((method) => method.senders.includes(role) && !method.payload);
  return nameOperations(sent, namesIn(role, input.models).used);
}

/** The exported name of an extension: `io.modelcontextprotocol/experimental-tasks` → `experimentalTasks`. */
export function exportedName(id: string): string {
  const last = id.split("/")[1]!;
  return identifiersFor([last]).get(last)!;
}

function typesOf(role: Role, { authored }: ExtensionVocabulary): TypesOfMethods {
  const mapOf = ({ kind }: Method): string =>
    maps.find((map) => map.kind === kind && map.sender === role)!.name;
  return {
    params: (method) => messageType(mapOf(method), method.name, "params"),
    result: (method) =>
      role === "client"
        ? `ClientResults[${stringLiteral(method.name)}]`
        : messageType(mapOf(method), method.name, "result"),
    isOptional: (method) => presenceOf(authored, method) === "optional",
  };
}

/** The member that names the base whose types handlers and clients use, unless it is the newest. */
function vocabularyMember(input: WholeExtensionInput): [string, Layout][] {
  const { revision } = authoredBase(input);
  return revision === input.models.at(-1)!.revision ? [] : [["vocabulary", stringLiteral(revision)]];
}

function needsMember({ capabilities, extensions }: WholeExtensionInput["needs"]): [string, Layout][] {
  const members = [
    ...(capabilities.length > 0
      ? [["capabilities", arrayLayout(capabilities.map(pathLayout))] as const]
      : []),
    ...(extensions.length > 0 ? [["extensions", stringsLayout(extensions)] as const] : []),
  ];
  return members.length === 0 ? [] : [["needs", objectLayout(members)]];
}
