import { type SchemaNode, type Definition, descendants, naturalCompare } from "@mcpgen/engine";
import { vectorsOfModel } from "../../targets/typescript/vectors/emit.js";
import type { ExtensionModel } from "../../model/extension-model.js";
import { type Method, type ProtocolModel, answersOf } from "../../model/model.js";
import { anchor } from "../html.js";
import type { Entry, Figure, Reading, Section, Fact, Span } from "../reading.js";
import { type LinkOf, reference, membersOf, ownType } from "../schema-members.js";
import { methodEntry, methodAnchor } from "./methods.js";
import { type Lineage, lineageOf, historyBadges } from "./since.js";

/**
 * The reference of a revision: methods by their kind and senders, errors, headers, types.
 *
 * @param all the revisions to compare with, oldest first; empty if no others are known
 */
export function revisionReading(model: ProtocolModel, all: readonly ProtocolModel[]): Reading {
  const { schema, methods } = model;
  const vectors = vectorsOfModel({ model });
  const linkOf: LinkOf = (name) => (schema.definitions.has(name) ? typeAnchor(name) : undefined);
  const lineage = all.length > 1 ? lineageOf(model, all) : undefined;
  const users = usersOf(model);
  const sections = [
    ...methodSections(methods, (method) => methodEntry(method, { model, vectors, linkOf, lineage })),
    { id: "errors", title: "Errors", entries: errorEntries(model, linkOf) },
    { id: "http", title: "HTTP headers", entries: headerEntries(model) },
    {
      id: "types",
      title: "Types",
      entries: [...schema.definitions.values()].map((each) => typeEntry(each, { linkOf, lineage, users })),
    },
  ];
  return {
    title: `MCP ${model.revision}`,
    figures: figuresOf(sections),
    facts: [
      { name: "Status", value: [model.status] },
      { name: "Era", value: [eraText[model.era]] },
      { name: "Batches", value: [model.batches ? "messages may travel as JSON-RPC batches" : "none"] },
    ],
    sections: sections.filter(({ entries }) => entries.length > 0),
  };
}

function figuresOf(sections: readonly Section[]): Figure[] {
  const groups: readonly (readonly [label: string, belongs: RegExp])[] = [
    ["requests", /-requests$|^embedded$/],
    ["notifications", /-notifications$/],
    ["errors", /^errors$/],
    ["types", /^types$/],
  ];
  return groups.flatMap(([label, belongs]) => {
    const group = sections.filter(({ id, entries }) => belongs.test(id) && entries.length > 0);
    const count = group.reduce((sum, { entries }) => sum + entries.length, 0);
    return count === 0 ? [] : [{ count, label, to: group[0]!.id }];
  });
}

/** The reference of an extension over one of its bases: its own methods, errors, headers and types. */
export function extensionReading(model: ExtensionModel): Reading {
  const reading = revisionReading(model, []);
  const own = new Set(
    [...model.schema.definitions.keys()].filter((name) => !model.imported.has(name)).map(typeAnchor),
  );
  const places = (["client", "server"] as const).flatMap((role) => {
    const place = model.declared[role];
    return place ? [{ name: `Declared by the ${role}`, value: [{ code: place.path }] }] : [];
  });
  const augmented = model.augments.map(({ method, result }) => ({
    name: "Adds a result",
    value: [{ code: result.definition, to: typeAnchor(result.definition) }, " to ", { code: method.name }],
  }));
  const members = model.members.map(({ of, path, definition }) => ({
    name: "Adds a member",
    value: [{ code: path }, " to ", { code: of }, ": ", { code: definition, to: typeAnchor(definition) }],
  }));
  const types = (entries: readonly Entry[]): Entry[] =>
    entries.map((entry) =>
      own.has(entry.id) ? entry : { ...entry, badges: [{ text: `of ${model.base.revision}` }] },
    );
  return {
    ...reading,
    title: `${model.id} ${model.version}`,
    facts: [
      { name: "Over", value: [model.base.revision] },
      ...reading.facts,
      ...places,
      ...augmented,
      ...members,
    ],
    sections: reading.sections.map((section) =>
      section.id === "types" ? { ...section, entries: types(section.entries) } : section,
    ),
  };
}

const eraText = {
  legacy: "legacy: a handshake with initialize, and sessions",
  modern: "modern: every request carries what the handshake carried",
} as const;

/** Methods grouped by kind and senders, requests of clients first. */
export function methodSections(methods: readonly Method[], entryOf: (method: Method) => Entry): Section[] {
  const sent =
    (wanted: Method["kind"], byClient: boolean) =>
    ({ kind, payload, senders }: Method): boolean =>
      kind === wanted && !payload && senders.includes("client") === byClient;
  const titles: readonly (readonly [string, string, (method: Method) => boolean])[] = [
    ["client-requests", "Requests of clients", sent("request", true)],
    ["server-requests", "Requests of servers", sent("request", false)],
    ["embedded", "Embedded requests", ({ payload }) => payload],
    ["client-notifications", "Notifications of clients", sent("notification", true)],
    ["server-notifications", "Notifications of servers", sent("notification", false)],
  ];
  return titles.map(([id, title, fits]) => ({ id, title, entries: methods.filter(fits).map(entryOf) }));
}

export function errorEntries({ errors, schema }: ProtocolModel, linkOf: LinkOf): Entry[] {
  return errors.map(({ code, name, http, definition }) => ({
    id: anchor("error", `${code}/${name}`),
    name: `${code} ${name}`,
    ...describedBy(definition === undefined ? undefined : schema.definitions.get(definition)?.node),
    facts: [
      ...(http === undefined ? [] : [{ name: "HTTP status", value: [String(http)] }]),
      ...(definition === undefined ? [] : [{ name: "Definition", value: [reference(definition, linkOf)] }]),
    ],
  }));
}

function describedBy(node: SchemaNode | undefined): { readonly description?: string } {
  return node?.description === undefined ? {} : { description: node.description };
}

function headerEntries({ headers }: ProtocolModel): Entry[] {
  return headers.map(({ header, method, from }) => ({
    id: anchor("header", `${header}/${method}`),
    name: method === "*" ? header : `${header} of ${method}`,
    facts: [
      { name: "On", value: [method === "*" ? "every request" : { code: method }] },
      { name: "Value", value: [from === null ? "the negotiated revision" : { code: from }] },
    ],
  }));
}

function typeAnchor(name: string): string {
  return anchor("type", name);
}

function typeEntry(
  definition: Definition,
  {
    linkOf,
    lineage,
    users,
  }: { readonly linkOf: LinkOf; readonly lineage: Lineage | undefined; readonly users: Users },
): Entry {
  const { name, node } = definition;
  return {
    id: typeAnchor(name),
    name,
    closed: true,
    badges: historyBadges(lineage?.definition(name), node.deprecated),
    ...(node.description !== undefined && { lead: node.description }),
    facts: factsOf(definition, linkOf, users),
    parts: [
      {
        title: "Schema",
        open: true,
        kind: "members",
        members: [...ownType(node, linkOf), ...membersOf(node, linkOf)],
      },
    ],
  };
}

function factsOf({ name, extends: bases = [] }: Definition, linkOf: LinkOf, users: Users): Fact[] {
  const type = (definition: string): Span => reference(definition, linkOf);
  const { methods = [], definitions = [] } = users.get(name) ?? {};
  return [
    ...(bases.length > 0 ? [{ name: "Extends", value: listed(bases.map(type)) }] : []),
    ...(methods.length > 0
      ? [
          {
            name: "Methods",
            value: listed(methods.map((method) => ({ code: method, to: methodAnchor(method) }))),
          },
        ]
      : []),
    ...(definitions.length > 0 ? [{ name: "Used by", value: listed(definitions.map(type)) }] : []),
  ];
}

function listed(spans: readonly Span[]): Span[] {
  return spans.flatMap((span, index) => (index === 0 ? [span] : [", ", span]));
}

/** For each definition, the methods and definitions that refer to it. */
type Users = ReadonlyMap<
  string,
  { readonly methods: readonly string[]; readonly definitions: readonly string[] }
>;

function usersOf({ schema, methods }: ProtocolModel): Users {
  const users = new Map<string, { methods: Set<string>; definitions: Set<string> }>();
  const of = (name: string): { methods: Set<string>; definitions: Set<string> } => {
    const known = users.get(name) ?? { methods: new Set(), definitions: new Set() };
    users.set(name, known);
    return known;
  };
  for (const method of methods) {
    for (const name of [method.message, method.params.definition, ...answersOf(method)])
      if (name !== undefined) of(name).methods.add(method.name);
  }
  for (const { name, node } of schema.definitions.values())
    for (const { ref } of descendants(node))
      if (ref !== undefined && ref !== name) of(ref).definitions.add(name);
  const sorted = (names: ReadonlySet<string>): string[] => [...names].sort(naturalCompare);
  return new Map(
    [...users].map(([name, { methods, definitions }]) => [
      name,
      { methods: sorted(methods), definitions: sorted(definitions) },
    ]),
  );
}
