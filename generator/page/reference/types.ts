import { type Definition, descendants, naturalCompare } from "@mcpgen/engine";
import { type ProtocolModel, answersOf } from "../../model/model.js";
import { anchor } from "../anchor.js";
import type { Entry, Fact, Span } from "../reading.js";
import { type LinkOf, membersOf, ownType, reference } from "../schema-members.js";
import { methodAnchor } from "./methods.js";
import { type Lineage, historyBadges } from "./since.js";

export function typeAnchor(name: string): string {
  return anchor("type", name);
}

export function typeEntry(
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

/** What names each definition: methods directly, and definitions. */
export type Users = ReadonlyMap<
  string,
  { readonly methods: readonly string[]; readonly definitions: readonly string[] }
>;

export function usersOf({ schema, methods }: ProtocolModel): Users {
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
