import type {
  Alternative,
  ExactDefinition,
  Protocol,
  ProtocolExtension,
  ReceiveTable,
  SendTable,
  Side,
} from "./protocol.js";

/** The protocol with the methods of an extension, and the results that it adds to methods of the revision. */
export function withExtension(protocol: Protocol, id: string, extension: ProtocolExtension): Protocol {
  // Definitions of the extension may have names that definitions of the revision have.
  const named = <Definition extends { readonly name: string }>(definition: Definition): Definition => ({
    ...definition,
    name: `${definition.name} of ${id}`,
  });
  const explanations = Object.entries(extension.explanations).map(
    ([name, explain]) => [`${name} of ${id}`, explain] as const,
  );
  const bothSides = <Table>(make: (side: Side) => Table): Record<Side, Table> => ({
    client: make("client"),
    server: make("server"),
  });
  return {
    sends: bothSides((side) => sends(protocol.sends[side], extension.sends[side], named)),
    receives: bothSides((side) =>
      receives(protocol.receives[side], extension.receives[side], extension.augments[side], named),
    ),
    explanations: { ...protocol.explanations, ...Object.fromEntries(explanations) },
  };
}

type Named = <Definition extends { readonly name: string }>(definition: Definition) => Definition;

function sends(base: SendTable, own: SendTable, named: Named): SendTable {
  const joined = (
    first: ReadonlyMap<string, ExactDefinition>,
    second: ReadonlyMap<string, ExactDefinition>,
  ): Map<string, ExactDefinition> =>
    new Map([...first, ...[...second].map(([method, definition]) => [method, named(definition)] as const)]);
  const results = new Map(base.results);
  for (const [method, added] of own.results)
    results.set(method, [...(results.get(method) ?? []), ...added.map(named)]);
  return {
    format: 1,
    requests: joined(base.requests, own.requests),
    notifications: joined(base.notifications, own.notifications),
    results,
  };
}

function receives(
  base: ReceiveTable,
  own: ReceiveTable,
  augments: ReadonlyMap<string, readonly Alternative[]>,
  named: Named,
): ReceiveTable {
  const outgoingRequests = new Map(base.outgoingRequests);
  for (const [method, { alternatives }] of own.outgoingRequests)
    outgoingRequests.set(method, alternatives ? { alternatives: alternatives.map(named) } : {});
  for (const [method, added] of augments) {
    const before = outgoingRequests.get(method);
    if (before)
      outgoingRequests.set(method, { alternatives: [...(before.alternatives ?? []), ...added.map(named)] });
  }
  return { incomingRequests: new Map([...base.incomingRequests, ...own.incomingRequests]), outgoingRequests };
}
