import type { Method, ProtocolModel } from "../../model/model.js";

const known = new WeakMap<ProtocolModel, ReadonlyMap<string, readonly Method[]>>();

/** The methods of a model by name; a name may stand for a request and for a notification. */
export function methodsByName(model: ProtocolModel): ReadonlyMap<string, readonly Method[]> {
  let methods = known.get(model);
  if (!methods) {
    const byName = new Map<string, Method[]>();
    for (const method of model.methods) {
      const others = byName.get(method.name);
      if (others) others.push(method);
      else byName.set(method.name, [method]);
    }
    known.set(model, (methods = byName));
  }
  return methods;
}
