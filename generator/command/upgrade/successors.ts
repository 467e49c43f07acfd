import { memberNodes } from "@mcpgen/engine";
import { formSignature } from "../../compare/align/pair.js";
import { FormReader } from "../../compare/shape/form-reader.js";
import type { Method, ProtocolModel } from "../../model/model.js";

/** A method of a new revision that says what one of the revision before says. */
export interface Succession {
  readonly method: Method;
  readonly from: Method;
  /** The new revision has the earlier method, too: the new one is a part of it. Else it is another name. */
  readonly isPart: boolean;
}

/** The new methods that have the message or the params of an earlier one. */
export function successions(before: ProtocolModel, now: ProtocolModel): Succession[] {
  const known = new Set(before.methods.map(({ name }) => name));
  const left = new Set(now.methods.map(({ name }) => name));
  const forms = paramsForms(before);
  const newForms = paramsForms(now);
  return now.methods.flatMap((method): Succession[] => {
    if (known.has(method.name)) return [];
    const alike = before.methods.filter((from) => isAlike(from, method));
    const same = alike.find(({ message }) => message === method.message);
    const form = newForms.get(method);
    // Params that many methods have, such as a cursor, say nothing.
    const ofForm = form === undefined ? [] : alike.filter((from) => forms.get(from) === form);
    const from = same ?? (ofForm.length === 1 ? ofForm[0] : undefined);
    return from ? [{ method, from, isPart: left.has(from.name) }] : [];
  });
}

function isAlike(one: Method, other: Method): boolean {
  return one.kind === other.kind && one.senders.some((sender) => other.senders.includes(sender));
}

/** The form of the params of each method that requires some: of one that requires none, it says too little. */
function paramsForms({ schema, methods }: ProtocolModel): ReadonlyMap<Method, string> {
  const reader = new FormReader(schema);
  return new Map(
    methods.flatMap((method) => {
      const nodes = memberNodes(schema, schema.definitions.get(method.message)!.node, "params");
      if (nodes.length === 0) return [];
      const form = reader.of(nodes);
      const own = form.members.flatMap(({ properties }) =>
        [...properties].flatMap(([name, { required }]) => (required && name !== "_meta" ? [name] : [])),
      );
      return own.length === 0 ? [] : [[method, formSignature(reader, form)] as const];
    }),
  );
}
