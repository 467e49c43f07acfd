import { referencesOf } from "@mcpgen/engine";
import type { Method, ProtocolModel, Role } from "../../../model/model.js";
import { laidOutTexts } from "../../../print/code-layout.js";
import { type Emitter, type WorkspaceInput, freeName, importSpecifier } from "../emitter.js";
import type { EmittedFile } from "../../../print/emitted-file.js";
import { methodDoc } from "../method-doc.js";
import {
  identifiersFor,
  nameDefinitions,
  namesOfTypes,
  deprecationLine,
  docComment,
  memberKey,
  stringLiteral,
} from "../../../print/text.js";
import { declare, printType, union, assigned, settled } from "../types/print.js";
import { width } from "../../../print/layout.js";
import { type ListedMember, type ListedPlace, listedMembers } from "./listed-members.js";
import {
  type AuthoredSchema,
  authoredResults,
  authoredSchema,
  inlineParams,
  presenceOf,
} from "./authored-schema.js";
import { type Vocabulary, vocabularyFrom } from "./vocabulary.js";

/**
 * Emits `authoring.ts` and `listed.ts`. `authoring.ts` has the vocabulary, the types that handlers and calls
 * use: the pinned revision without owned members, plus the methods that only other revisions have. A new
 * revision therefore adds to this file and changes nothing in it. `listed.ts` has the names of the members
 * that authors write and clients read, as values, and the pinned revision's id.
 */
export const emitAuthoring: Emitter<WorkspaceInput> = (input) => {
  const { models, origin, importExtension, render } = input;
  const vocabulary = vocabularyFrom(models, input.vocabulary);
  if (!vocabulary) return new Map();
  const { model, pinned } = vocabulary;
  const authored = authoredSchema(model);
  const exported = exportedNames(vocabulary);
  const names = referredNames(vocabulary, authored, exported);
  const unchanged = authored.reached.map(({ name }) => name).filter((name) => !authored.changed.has(name));
  const used = new Set(referredTypes(model, authored).map((name) => moduleOf(names.get(name)!)));
  const view = {
    origin,
    importExtension,
    latest: pinned.revision,
    lends: vocabulary.lent.size > 0,
    isExtension: false,
    imports: modulesOf(vocabulary)
      .filter(({ module }) => used.has(module))
      .map(
        ({ module, revision }) => `import type * as ${module} from "./${revision}/types.${importExtension}";`,
      ),
    exports: modulesOf(vocabulary)
      .map(({ module, revision }) => ({
        revision,
        names: unchanged
          .filter((name) => moduleOf(names.get(name)!) === module)
          .map((name) => exportSpecifier(names.get(name)!, exported.get(name)!)),
      }))
      .filter((one) => one.names.length > 0),
    ...writtenTypes({ model, authored, exported, names }),
  };
  const listed = rowsOfListed(pinned, authoredSchema(pinned), exported);
  return new Map([
    ["authoring.ts", settled(render("authoring.ts", view))],
    ["listed.ts", listedFile(render("listed.ts", { origin, vocabulary: pinned.revision, listed }))],
  ]);
};

/** The authored schema and the names of its types. */
export interface Authored {
  readonly model: ProtocolModel;
  readonly authored: AuthoredSchema;
  /** Definition → the name under which `authoring.ts` exports its type. */
  readonly exported: ReadonlyMap<string, string>;
  /** Definition → the type expression by which `authoring.ts` refers to it. */
  readonly names: ReadonlyMap<string, string>;
}

/** View data for the types that `authoring.ts` declares, and for its maps of messages. */
export function writtenTypes({ model, authored, exported, names }: Authored): object {
  return {
    changed: authored.reached
      .filter(({ name }) => authored.changed.has(name))
      .map((definition) => ({
        doc: docComment([definition.node.description, deprecationLine(definition.node.deprecated)]),
        declaration: declare(definition, exported.get(definition.name)!, names),
      })),
    maps: maps.map(({ name, about, kind, sender }) => ({
      name,
      about,
      rows: model.methods
        .filter((method) => method.kind === kind && method.senders.includes(sender))
        .map((method) => rowOf(model, authored, method, names)),
    })),
  };
}

/**
 * Marks `listed.ts` as formatted, unless it has an empty object or a key that prettier may read as a number.
 */
function listedFile(content: string): EmittedFile {
  return /\{\n *\}|^ *(?:"[^a-z]|['[])/im.test(content) ? { content } : laidOutTexts(content);
}

/** The rows of `listed.ts`, under the exported names of `authoring.ts`. */
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

/**
 * The unchanged definitions that declarations and rows refer to. Others must not be imported: an unused
 * import does not compile.
 */
function referredTypes(model: ProtocolModel, { reached, changed }: AuthoredSchema): string[] {
  const printed = reached
    .filter(({ name }) => changed.has(name))
    .flatMap(({ node }) => [...referencesOf(node)]);
  const listed = model.methods.flatMap((method) => [
    ...(method.params.definition === undefined ? [] : [method.params.definition]),
    ...inlineParams(model, method).flatMap((node) => [...referencesOf(node)]),
    ...authoredResults(model, method),
  ]);
  return [...printed, ...listed].filter((name) => !changed.has(name));
}

/** A revision from which `authoring.ts` imports types. */
interface TypesModule {
  /** The name of the import. */
  readonly module: string;
  readonly revision: string;
}

/** The pinned revision, and the revisions that contribute methods to the vocabulary. */
function modulesOf({ pinned, lent }: Vocabulary): TypesModule[] {
  const lenders = new Set([...lent.values()].map(({ lender }) => lender.revision));
  return [
    { module: typesModule, revision: pinned.revision },
    ...[...lenders].map((revision) => ({ module: moduleFor(revision), revision })),
  ];
}

const typesModule = "types";

/** The import name for a revision's types: `2025-11-25` → `types20251125`. */
function moduleFor(revision: string): string {
  const words = `${typesModule} ${revision}`;
  return identifiersFor([words]).get(words)!;
}

function moduleOf(qualified: string): string {
  return qualified.split(".")[0]!;
}

/**
 * Definition → the type expression for it: declared in this file, or imported from the types of a revision.
 */
function referredNames(
  { model, pinned, lent }: Vocabulary,
  { changed }: AuthoredSchema,
  exported: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const own = nameDefinitions(pinned.schema);
  const identifiers = new Map(
    [...lent.values()].map(({ lender }) => [lender, nameDefinitions(lender.schema)]),
  );
  return new Map(
    [...model.schema.definitions.keys()].map((name) => {
      if (changed.has(name)) return [name, exported.get(name)!];
      const from = lent.get(name);
      return [
        name,
        from
          ? `${moduleFor(from.lender.revision)}.${identifiers.get(from.lender)!.get(from.name)!}`
          : `${typesModule}.${own.get(name)!}`,
      ];
    }),
  );
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
    about: "Requests that clients send, with their results.",
    kind: "request",
    sender: "client",
  },
  {
    name: "ServerRequests",
    about: "Requests that servers send, with their results.",
    kind: "request",
    sender: "server",
  },
  {
    name: "ClientNotifications",
    about: "Notifications that clients send.",
    kind: "notification",
    sender: "client",
  },
  {
    name: "ServerNotifications",
    about: "Notifications that servers send.",
    kind: "notification",
    sender: "server",
  },
];

/**
 * Definition → the name it is exported under. If another declaration of the file has that name, it is
 * changed. The pinned revision chooses its names first.
 */
export function exportedNames(vocabulary: Vocabulary): ReadonlyMap<string, string> {
  const { pinned, lent } = vocabulary;
  const taken = new Set([
    ...modulesOf(vocabulary).map(({ module }) => module),
    ...maps.map(({ name }) => name),
  ]);
  const identifiers = [...nameDefinitions(pinned.schema), ...namesOfTypes([...lent.keys()])];
  return new Map(identifiers.map(([name, identifier]) => [name, freeName(identifier, taken)]));
}

function exportSpecifier(qualified: string, exported: string): string {
  return importSpecifier(qualified.slice(qualified.indexOf(".") + 1), exported);
}

/** A row of a map of methods. */
function rowOf(
  model: ProtocolModel,
  authored: AuthoredSchema,
  method: Method,
  names: ReadonlyMap<string, string>,
): { doc: string; line: string } {
  const results = authoredResults(model, method).map((name) => names.get(name)!);
  const members = [assigned("params:", paramsType(model, authored, method, names), "    ")];
  if (method.kind === "request")
    members.push(assigned("result:", results.length > 0 ? union(results) : "unknown", "    "));
  const key = `  ${memberKey(method.name)}:`;
  const inBraces = members.map((member) => member.trim()).join(" ");
  const short = `${key} { ${inBraces.slice(0, -1)} };`;
  const isShort = short.length <= width && !short.includes("\n");
  return {
    doc: methodDoc(method, "  "),
    line: isShort ? short : [`${key} {`, ...members, "  };"].join("\n"),
  };
}

function paramsType(
  model: ProtocolModel,
  authored: AuthoredSchema,
  method: Method,
  names: ReadonlyMap<string, string>,
): string {
  const { definition } = method.params;
  const presence = presenceOf(authored, method);
  if (presence === "none") return "undefined";
  const type =
    definition === undefined
      ? inlineParams(model, method)
          .map((node) => printType(node, names, "    "))
          .join(" & ")
      : names.get(definition)!;
  return presence === "optional" ? union([type, "undefined"]) : type;
}
