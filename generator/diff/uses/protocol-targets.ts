import type { ProtocolModel } from "../../model/model.js";
import { type Finding, levelFor } from "../finding.js";
import { type Target, plainPath, valueOf } from "./targets.js";

/**
 * The names in code that a difference between two revisions affects. A member of the old revision affects code that
 * names it. A new member affects code that names its object or its method, unless the addition is harmless.
 *
 * @returns the names for each finding
 */
export function protocolTargets(
  findings: readonly Finding[],
  models: readonly [ProtocolModel, ProtocolModel],
): Target[][] {
  const former = renamed(findings);
  const places = new Places(models);
  return findings.map((finding) => {
    const { subject, rule } = finding;
    if ("method" in subject) return ofMethod(subject.method, finding);
    const { definition } = subject;
    const names = [definition, former.get(definition) ?? definition];
    const path = plainPath(subject.path);
    if (rule.startsWith("error-")) return [{ kind: "error", name: definition }, ...ofCode(finding)];
    if (path === "") return names.flatMap((name) => whole(name, finding, places));
    return names.flatMap((name) => placed(name, path, finding, places));
  });
}

/**
 * Code that compares the number of an error that is gone, or has another one now. Only numbers that JSON-RPC reserves are
 * unambiguous in every file: -1 is a result of `indexOf`.
 */
function ofCode({ old }: Finding): Target[] {
  return old !== null && /^-32\d{3}$/.test(old) ? [{ kind: "code", code: old }] : [];
}

/** A removed alternative result affects code that names its definition. Other findings affect code that names the method. */
function ofMethod(name: string, { rule, old }: Finding): Target[] {
  if (rule !== "result-alternative-removed" || old === null) return [methodTarget(name)];
  return [{ kind: "definition", name: old }];
}

/** The old names of renamed definitions, by their new names. */
function renamed(findings: readonly Finding[]): Map<string, string> {
  return new Map(
    findings.flatMap(({ rule, old, new: next }) =>
      rule === "definition-renamed" && old !== null && next !== null ? [[next, old] as const] : [],
    ),
  );
}

function isHarmless(finding: Finding): boolean {
  return levelFor(finding, "both") === "safe" && finding.source === "safe";
}

function whole(definition: string, finding: Finding, places: Places): Target[] {
  const { old, new: next } = finding.pointers;
  // An added or removed type affects only code that names it; a separate finding covers its method.
  const isChanged = old !== null && next !== null && !isHarmless(finding);
  const methods = isChanged ? places.methodsOf(definition) : [];
  return [{ kind: "definition", name: definition }, ...methods.map(methodTarget)];
}

function placed(definition: string, path: string, finding: Finding, places: Places): Target[] {
  const isThere = finding.pointers.old !== null;
  const members = isThere
    ? places.membersAt(definition, path).map((member) => ({ ...member, ...valueOf(finding) }))
    : [];
  // Only code that writes the whole message decides whether the message has params.
  if (isThere && places.isParams(definition, path)) {
    const methods = places.methodsOf(definition).map(methodTarget);
    return [...members, ...methods.map((target) => ({ ...target, wireOnly: true }))];
  }
  return isMissing(finding) ? [...members, ...around(definition, path, places)] : members;
}

/** Whether a finding also affects code that does not name the member, but writes or reads its object. */
export function isMissing(finding: Finding): boolean {
  if (finding.pointers.old === null) return !isHarmless(finding);
  return finding.rule === "property-became-required";
}

/** The names of the object that a member belongs to. */
function around(definition: string, path: string, places: Places): Target[] {
  const end = path.lastIndexOf(".");
  if (end >= 0) return places.membersAt(definition, path.slice(0, end));
  const wireOnly = places.isOwned(definition, path);
  return [
    { kind: "definition", name: definition, wireOnly },
    ...places.methodsOf(definition).map((name) => ({ ...methodTarget(name), wireOnly })),
  ];
}

function methodTarget(name: string): Extract<Target, { kind: "method" }> {
  return { kind: "method", name };
}

/** The places of the definitions of two revisions in their messages. */
class Places {
  readonly #methods = new Map<string, Set<string>>();
  /** Params by the definition of their message, and the other way round: some revisions name them, some do not. */
  readonly #params: (readonly [message: string, params: string])[] = [];
  readonly #models: readonly ProtocolModel[];

  constructor(models: readonly ProtocolModel[]) {
    this.#models = models;
    for (const { name, message, params, result } of models.flatMap(({ methods }) => methods)) {
      const alternatives = result?.alternatives.map(({ definition }) => definition) ?? [];
      for (const definition of [message, params.definition, result?.definition, ...alternatives])
        if (definition !== undefined) this.#methodsFor(definition).add(name);
      if (params.definition !== undefined) this.#params.push([message, params.definition]);
    }
  }

  #methodsFor(definition: string): Set<string> {
    const methods = this.#methods.get(definition) ?? new Set();
    this.#methods.set(definition, methods);
    return methods;
  }

  /** The method whose message, params or result is the definition; no method if several share the definition. */
  methodsOf(definition: string): string[] {
    const methods = [...(this.#methods.get(definition) ?? [])];
    return methods.length > 1 ? [] : methods;
  }

  isParams(definition: string, path: string): boolean {
    return path === "params" && this.#methods.has(definition);
  }

  /** Whether the runtime, not a handler, writes and reads the property. */
  isOwned(definition: string, property: string): boolean {
    return property === "_meta" || this.#models.some(({ owned }) => owned.get(definition)?.has(property));
  }

  membersAt(definition: string, path: string): Target[] {
    const members: Target[] = [{ kind: "member", definition, path }];
    for (const [message, params] of this.#params) {
      if (definition === params)
        members.push({ kind: "member", definition: message, path: `params.${path}` });
      if (definition === message && path.startsWith("params."))
        members.push({ kind: "member", definition: params, path: path.slice("params.".length) });
    }
    return members;
  }
}
