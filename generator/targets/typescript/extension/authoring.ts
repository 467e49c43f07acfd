import { pointerTokens } from "@mcpgen/engine";
import { type ExtensionModel, authoredBase } from "../../../model/extension-model.js";
import { type Method, type Role, receivers } from "../../../model/model.js";
import { memberKey, stringLiteral } from "../../../print/text.js";
import { authoredSchema } from "../authoring/authored-schema.js";
import { type Authored, maps, writtenTypes } from "../authoring/emit.js";
import {
  type Emitter,
  type WholeExtensionInput,
  type Imported,
  freeName,
  importSpecifier,
  localNames,
  sharedModule,
  importedBy,
} from "../emitter.js";
import { importTypes, settled, union } from "../types/print.js";

/** The name of the interface with the types of all messages. */
export const typesName = "Messages";

/** The name of the interface with the members that an extension adds. */
const membersName = "AddedMembers";

/**
 * The types that handlers and calls of an extension use: those of one of its bases, without owned members.
 */
export interface ExtensionVocabulary extends Authored {
  readonly model: ExtensionModel;
  readonly imported: Imported;
}

const known = new WeakMap<ExtensionModel, ExtensionVocabulary>();

/** The vocabulary of an extension. The result is cached, because four files of an extension need it. */
export function extensionVocabulary(
  input: Pick<WholeExtensionInput, "models" | "vocabulary">,
): ExtensionVocabulary {
  const model = authoredBase(input);
  let vocabulary = known.get(model);
  if (!vocabulary) known.set(model, (vocabulary = vocabularyOver(model)));
  return vocabulary;
}

function vocabularyOver(model: ExtensionModel): ExtensionVocabulary {
  const authored = authoredSchema(model);
  const imported = importedBy(model);
  const own = localNames(model.schema, imported);
  const exported = exportedNames(own);
  const names = new Map(
    [...exported].map(([name, identifier]) => {
      if (authored.changed.has(name)) return [name, identifier];
      const elsewhere = imported.identifiers.get(name);
      return [name, elsewhere === undefined ? `types.${own.get(name)!}` : `baseTypes.${elsewhere}`];
    }),
  );
  return { model, authored, imported, exported, names };
}

/** The names under which `authoring.ts` exports types. */
function exportedNames(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const taken = new Set(["types", "baseTypes", typesName, membersName, ...maps.map(({ name }) => name)]);
  return new Map([...names].map(([name, identifier]) => [name, freeName(identifier, taken)]));
}

/** Emits `authoring.ts` of an extension: the types of handlers, calls and settings. */
export const emitExtensionAuthoring: Emitter<WholeExtensionInput> = (input) => {
  const { folder, origin, importExtension, render } = input;
  const { model, authored, imported, exported, names } = extensionVocabulary(input);
  const view = {
    ...{ origin, importExtension, typesName, membersName },
    latest: model.revision,
    ...{ isExtension: true, exports: [] },
    ...writtenTypes({ model, authored, exported, names }),
    members: membersType(model, names),
    clientSettings: settingsType(model, "client", names),
    serverSettings: settingsType(model, "server", names),
    optional: union(optionalMethods(model).map(stringLiteral)).replace(/^never$/, ""),
  };
  const draft = render("authoring.ts", view);
  const uses = (module: string): boolean => new RegExp(`\\b${module}\\.\\w`).test(draft);
  const unchanged = authored.reached.map(({ name }) => name).filter((name) => !authored.changed.has(name));
  const isImported = (name: string): boolean => imported.identifiers.has(name);
  const specifiers = (definitions: readonly string[]): string[] =>
    definitions.map((name) => importSpecifier(names.get(name)!.replace(/^\w+\./, ""), exported.get(name)!));
  const baseTypes = sharedModule(input, `${model.revision}/types`);
  const folderOf = (module: string): string => `./${model.revision}/${module}.${importExtension}`;
  const imports = [
    ...(uses("types") ? [`import type * as types from "${folderOf("types")}";`] : []),
    ...(uses("baseTypes") ? [`import type * as baseTypes from "${baseTypes}";`] : []),
    reexported(specifiers(unchanged.filter(isImported)), baseTypes),
    reexported(specifiers(unchanged.filter((name) => !isImported(name))), folderOf("types")),
  ].filter((line) => line !== "");
  return new Map([[`${folder}/authoring.ts`, settled(render("authoring.ts", { ...view, imports }))]]);
};

function reexported(specifiers: readonly string[], from: string): string {
  return importTypes(specifiers, from).replace(/^import type /, "export type ");
}

function settingsType(model: ExtensionModel, role: Role, names: ReadonlyMap<string, string>): string {
  const place = model.declared[role];
  if (!place) return "undefined";
  return place.settings === undefined ? "{ [key: string]: unknown }" : names.get(place.settings)!;
}

/**
 * The types of the members that an extension adds, by definition of the object; one text for each definition.
 */
function membersType({ members }: ExtensionModel, names: ReadonlyMap<string, string>): string[] {
  const objects = new Map<string, MemberTree>();
  for (const { of, path, definition, required } of members) {
    const keys = pointerTokens(path);
    let tree: MemberTree = objects.get(of) ?? { required: false, inner: new Map() };
    objects.set(of, tree);
    for (const [index, key] of keys.entries()) {
      const inner: MemberTree = tree.inner.get(key) ?? { required: false, inner: new Map() };
      if (required) inner.required = true;
      if (index === keys.length - 1) inner.type = names.get(definition)!;
      tree.inner.set(key, inner);
      tree = inner;
    }
  }
  return [...objects].map(([of, tree]) => `${memberKey(of)}: ${treeType(tree)};`);
}

interface MemberTree {
  type?: string;
  required: boolean;
  readonly inner: Map<string, MemberTree>;
}

function treeType({ type, inner }: MemberTree): string {
  const members = [...inner].map(
    ([key, tree]) => `${memberKey(key)}${tree.required ? "" : "?"}: ${treeType(tree)}`,
  );
  const object = members.length > 0 ? [`{ ${members.join("; ")} }`] : [];
  return [...(type === undefined ? [] : [type]), ...object].join(" & ");
}

/** The methods that a side need not handle, because only a part of its declared settings enables them. */
export function optionalMethods({ methods, declared }: ExtensionModel): string[] {
  const isPartly = (method: Method): boolean =>
    receivers(method).some((role) => {
      const place = declared[role]?.path;
      const gate = method.capabilities.find(({ of }) => of === role)?.path;
      return place !== undefined && gate !== undefined && gate.startsWith(`${place}/`);
    });
  return methods.filter((method) => method.kind === "request" && isPartly(method)).map(({ name }) => name);
}

/** The type of a part of a message, e.g. `ClientRequests["a/b"]["params"]`. */
export function messageType(map: string, method: string, part: "params" | "result"): string {
  return `${map}[${stringLiteral(method)}]["${part}"]`;
}
