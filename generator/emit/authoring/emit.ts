import { type Definition, referencesOf } from "@mcpgen/engine";
import type { Method, ProtocolModel, Role } from "../../model/model.js";
import { published } from "../../model/published.js";
import { laidOutTexts } from "../../print/code-layout.js";
import type { Emitter, WorkspaceInput } from "../emitter.js";
import type { EmittedFile } from "../../print/emitted-file.js";
import { methodDoc } from "../method-doc.js";
import { nameDefinitions } from "../../print/names.js";
import { deprecationLine, docComment, memberKey, stringLiteral } from "../../print/text.js";
import { isInterface } from "../types/declaration.js";
import { assigned, interfaceHead, settled } from "../types/layout.js";
import { indexSignature, membersOf, printBody, printType, union } from "../types/print.js";
import { type ListedMember, type ListedPlace, listedMembers } from "./listed-members.js";
import { type AuthoredSchema, authoredResults, authoredSchema, inlineParams } from "./authored-schema.js";

/**
 * `authoring.ts`: the vocabulary that handlers and calls are written in. It is the newest finished revision,
 * without what its era owns; so a new revision rewrites this file, and nothing that imports it.
 * `listed.ts`: the members of what authors write and clients read, as values.
 */
export const emitAuthoring: Emitter<WorkspaceInput> = ({ models, origin, importExtension, render }) => {
  const model = published(models).at(-1);
  if (!model) return new Map();
  const authored = authoredSchema(model);
  const exported = exportedNames(model);
  const names = new Map(
    [...nameDefinitions(model.schema)].map(([name, identifier]) => [
      name,
      authored.changed.has(name) ? exported.get(name)! : `types.${identifier}`,
    ]),
  );
  const view = {
    origin,
    importExtension,
    latest: model.revision,
    usesTypes: speaksOfUnchanged(model, authored),
    changed: authored.reached
      .filter(({ name }) => authored.changed.has(name))
      .map((definition) => ({
        doc: docComment([definition.node.description, deprecationLine(definition.node.deprecated)]),
        declaration: declare(definition, exported.get(definition.name)!, names),
      })),
    unchanged: authored.reached
      .filter(({ name }) => !authored.changed.has(name))
      .map(({ name }) => exportSpecifier(names.get(name)!, exported.get(name)!)),
    maps: maps.map(({ name, about, kind, sender }) => ({
      name,
      about,
      rows: model.methods
        .filter((method) => method.kind === kind && method.senders.includes(sender))
        .map((method) => rowOf(model, authored, method, names)),
    })),
  };
  return new Map([
    ["authoring.ts", settled(render("authoring.ts", view))],
    [
      "listed.ts",
      listedFile(render("listed.ts", { origin, listed: rowsOfListed(model, authored, exported) })),
    ],
  ]);
};

/** `listed.ts`; what has no members, or a key that prettier may read as a number, is left to prettier. */
function listedFile(content: string): EmittedFile {
  return /\{\n *\}|^ *(?:"[^a-z]|['[])/im.test(content) ? { content } : laidOutTexts(content);
}

/** Rows of `listed.ts`, in which definitions have the names of `authoring.ts`. */
function rowsOfListed(
  model: ProtocolModel,
  authored: AuthoredSchema,
  exported: ReadonlyMap<string, string>,
): { key: string; members: { key: string; of: string }[] }[] {
  const nameOf = ({ definition, path }: ListedPlace): string => exported.get(definition)! + path;
  const typeOf = ({ place, list }: ListedMember): string =>
    place === undefined ? "" : nameOf(place) + (list ? "[]" : "");
  return listedMembers(model, authored).map(({ place, members }) => ({
    key: memberKey(nameOf(place)),
    members: members.map((member) => ({ key: memberKey(member.name), of: stringLiteral(typeOf(member)) })),
  }));
}

/** Whether anything that is printed refers to a type of the wire; an unused import would not compile. */
function speaksOfUnchanged(model: ProtocolModel, { reached, changed }: AuthoredSchema): boolean {
  const printed = reached
    .filter(({ name }) => changed.has(name))
    .flatMap(({ node }) => [...referencesOf(node)]);
  const listed = model.methods.flatMap((method) => [
    ...(method.params.definition === undefined ? [] : [method.params.definition]),
    ...inlineParams(model, method).flatMap((node) => [...referencesOf(node)]),
    ...authoredResults(model, method),
  ]);
  return [...printed, ...listed].some((name) => !changed.has(name));
}

interface MethodMap {
  readonly name: string;
  readonly about: string;
  readonly kind: Method["kind"];
  readonly sender: Role;
}

export const maps: readonly MethodMap[] = [
  {
    name: "ClientRequests",
    about: "What clients request and servers answer.",
    kind: "request",
    sender: "client",
  },
  {
    name: "ServerRequests",
    about: "What servers request and clients answer.",
    kind: "request",
    sender: "server",
  },
  { name: "ClientNotifications", about: "What clients announce.", kind: "notification", sender: "client" },
  { name: "ServerNotifications", about: "What servers announce.", kind: "notification", sender: "server" },
];

/** Definition name → the name it is exported under: its own, unless the file exports something else so. */
export function exportedNames({ schema }: ProtocolModel): ReadonlyMap<string, string> {
  const taken = new Set(["types", ...maps.map(({ name }) => name)]);
  return new Map(
    [...nameDefinitions(schema)].map(([name, identifier]) => {
      let free = identifier;
      while (taken.has(free)) free += "_";
      taken.add(free);
      return [name, free];
    }),
  );
}

function exportSpecifier(qualified: string, exported: string): string {
  const own = qualified.slice("types.".length);
  return own === exported ? own : `${own} as ${exported}`;
}

export function declare(
  definition: Definition,
  identifier: string,
  names: ReadonlyMap<string, string>,
): string {
  const { node } = definition;
  if (!isInterface(definition)) return assigned(`export type ${identifier} =`, printType(node, names), "");
  const body = printBody(membersOf(node, names, "  "), indexSignature(node, names, "  "), "", true);
  return `${interfaceHead(identifier, [])} ${body}`;
}

/** A row of a map of methods. */
export function rowOf(
  model: ProtocolModel,
  authored: AuthoredSchema,
  method: Method,
  names: ReadonlyMap<string, string>,
): { doc: string; key: string; members: string[] } {
  const results = authoredResults(model, method).map((name) => names.get(name)!);
  const members = [assigned("params:", paramsType(model, authored, method, names), "    ")];
  if (method.kind === "request")
    members.push(assigned("result:", results.length > 0 ? union(results) : "unknown", "    "));
  return { doc: methodDoc(method, "  "), key: memberKey(method.name), members };
}

function paramsType(
  model: ProtocolModel,
  authored: AuthoredSchema,
  method: Method,
  names: ReadonlyMap<string, string>,
): string {
  const { definition, presence } = method.params;
  if (presence === "none") return "undefined";
  const optional = presence === "optional" || (definition !== undefined && authored.lenient.has(definition));
  const type =
    definition === undefined
      ? inlineParams(model, method)
          .map((node) => printType(node, names, "    "))
          .join(" & ")
      : names.get(definition)!;
  return optional ? union([type, "undefined"]) : type;
}
