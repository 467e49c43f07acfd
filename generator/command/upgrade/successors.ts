import { memberNodes } from "@mcpgen/engine";
import { formSignature } from "../../compare/align/pair.js";
import { FormReader } from "../../compare/shape/form-reader.js";
import type { Method, ProtocolModel } from "../../model/model.js";

/** A new method that corresponds to a method of the preceding revision. */
export interface Succession {
  readonly method: Method;
  readonly from: Method;
  /**
   * Whether the new revision still has the earlier method, so that the new one may be a part of it. Otherwise
   * the method was renamed.
   */
  readonly isPart: boolean;
}

/** Finds the new methods with the message or the params of an earlier method. */
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
    // Params that several methods share, such as a cursor, identify none of them.
    const ofForm = form === undefined ? [] : alike.filter((from) => forms.get(from) === form);
    const from = same ?? (ofForm.length === 1 ? ofForm[0] : undefined);
    return from ? [{ method, from, isPart: left.has(from.name) }] : [];
  });
}

function isAlike(one: Method, other: Method): boolean {
  return one.kind === other.kind && one.senders.some((sender) => other.senders.includes(sender));
}

/**
 * A signature of the params for each method with required params. Methods without them are too unspecific.
 */
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
