import { type Finding, levelFor } from "../finding.js";
import type { Finding as Remark } from "../../diagnostics/coded-error.js";
import { type ProtocolModel, answersOf } from "../../model/model.js";
import type { Contract } from "../../contract/contract.js";
import { type ContractNames, contractNames } from "../../contract/emit/names.js";
import { capitalised } from "../../print/text.js";

/** A name by which code uses the subject of a finding: in generated code, or as a literal. */
export type Target =
  /** A type; for a contract, the namespace of a tool, prompt or resource template. */
  | { readonly kind: "definition"; readonly name: string; readonly wireOnly?: boolean }
  /** A member of a type; `a.b` for a nested one. */
  | {
      readonly kind: "member";
      readonly definition: string;
      readonly path: string;
      /** The only value concerned, as JSON. Code that writes another value is not affected. */
      readonly value?: string;
    }
  /** A method of the protocol. */
  | { readonly kind: "method"; readonly name: string; readonly wireOnly?: boolean }
  /** The code of an error, as a number. */
  | { readonly kind: "code"; readonly code: string }
  /** The name of an error in generated tables of errors. */
  | { readonly kind: "error"; readonly name: string }
  /** The name or URI of an entry of a contract's list, as a literal. */
  | { readonly kind: "entry"; readonly list: string; readonly name: string };

/** A finding to which a target belongs. */
export interface Claim {
  readonly finding: number;
  /**
   * Whether only code that writes complete messages is affected, because otherwise the runtime fills in the
   * part.
   */
  readonly wireOnly: boolean;
  /** The only value of a member that is concerned, as JSON. */
  readonly value?: string;
}

/** The targets of all findings, indexed by the names they consist of. */
export class TargetIndex {
  readonly definitions = new Map<string, Claim[]>();
  /** Indexed by definition and path: `Tool.name`. */
  readonly members = new Map<string, Claim[]>();
  readonly methods = new Map<string, Claim[]>();
  readonly errors = new Map<string, Claim[]>();
  /** Indexed by list and name: `tools/search`. */
  readonly entries = new Map<string, Claim[]>();
  /** Indexed by the number as written in code: `-32042`. */
  readonly codes = new Map<string, Claim[]>();
  /** All words by which code can name a target. */
  readonly words = new Set<string>();

  /** @param targets the targets of each finding */
  constructor(targets: readonly (readonly Target[])[]) {
    for (const [finding, each] of targets.entries()) for (const target of each) this.#add(target, finding);
  }

  #add(target: Target, finding: number): void {
    const [map, key, word] = this.#placeOf(target);
    const wireOnly = "wireOnly" in target && target.wireOnly === true;
    const value = "value" in target ? target.value : undefined;
    const claims = map.get(key) ?? [];
    claims.push({ finding, wireOnly, ...(value !== undefined && { value }) });
    map.set(key, claims);
    this.words.add(word);
  }

  #placeOf(target: Target): [map: Map<string, Claim[]>, key: string, word: string] {
    switch (target.kind) {
      case "definition":
        return [this.definitions, target.name, target.name];
      case "member":
        return [
          this.members,
          memberKey(target.definition, target.path),
          target.path.slice(target.path.lastIndexOf(".") + 1),
        ];
      case "method":
        return [this.methods, target.name, target.name];
      case "code":
        return [this.codes, target.code, target.code];
      case "error":
        return [this.errors, target.name, target.name];
      case "entry":
        return [this.entries, `${target.list}/${target.name}`, target.name];
    }
  }
}

/** The single value that a finding about an enumeration concerns, as JSON. */
function valueOf({ rule, old, new: next }: Pick<Finding, "rule" | "old" | "new">): { value?: string } {
  const value = rule.startsWith("enum-value-") ? (old ?? next) : null;
  return value === null ? {} : { value };
}

export function memberKey(definition: string, path: string): string {
  return `${definition}.${path}`;
}

/** A report's path without its marks for items and undeclared members, which have no names in types. */
function plainPath(path: string): string {
  return path.replace(/\[\]|\{\}/g, "").replace(/^\.|\.$/g, "");
}

/** A place in code that uses the subject of a finding. Line and column start at 1. */
export interface Use {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The text of the use. */
  readonly name: string;
}

/** The result of searching a code base. */
export interface CodeUses {
  /** For each finding, in the same order, its uses sorted by file and position. */
  readonly uses: readonly (readonly Use[])[];
  /** Number of files searched. */
  readonly files: number;
  /** Files whose imports of generated code cannot be resolved, so that only names were compared. */
  readonly byName: readonly string[];
  /** Remarks about files with syntax errors; the parts that parse were searched. */
  readonly remarks: readonly Remark[];
}

/**
 * The names in code that a difference between two revisions affects. A member of the old revision affects
 * code that names it. A new member affects code that names its object or its method, unless the addition is
 * harmless.
 *
 * @returns the targets of each finding
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
 * A target for code that compares the number of a removed or renumbered error. Only numbers reserved by
 * JSON-RPC are unambiguous: -1 is also a result of `indexOf`.
 */
function ofCode({ old }: Finding): Target[] {
  return old !== null && /^-32\d{3}$/.test(old) ? [{ kind: "code", code: old }] : [];
}

/** A removed alternative result affects code that names its definition. Other findings affect code that names the method. */
function ofMethod(name: string, { rule, old }: Finding): Target[] {
  if (rule !== "result-alternative-removed" || old === null) return [methodTarget(name)];
  return [{ kind: "definition", name: old }];
}

/** The old names of renamed definitions, by new name. */
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
  // An added or removed type affects only code that names it; its method has a separate finding.
  const isChanged = old !== null && next !== null && !isHarmless(finding);
  const methods = isChanged ? places.methodsOf(definition) : [];
  return [{ kind: "definition", name: definition }, ...methods.map(methodTarget)];
}

function placed(definition: string, path: string, finding: Finding, places: Places): Target[] {
  const isThere = finding.pointers.old !== null;
  const members = isThere
    ? places.membersAt(definition, path).map((member) => ({ ...member, ...valueOf(finding) }))
    : [];
  // Added or removed params concern only code that writes the complete message.
  if (isThere && places.isParams(definition, path)) {
    const methods = places.methodsOf(definition).map(methodTarget);
    return [...members, ...methods.map((target) => ({ ...target, wireOnly: true }))];
  }
  return isMissing(finding) ? [...members, ...around(definition, path, places)] : members;
}

/** Whether a finding also affects code that writes or reads the object without naming the member. */
function isMissing(finding: Finding): boolean {
  if (finding.pointers.old === null) return !isHarmless(finding);
  return finding.rule === "property-became-required";
}

/** The targets for the object that contains a member. */
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

/** Where the definitions of two revisions occur in messages. */
class Places {
  readonly #methods = new Map<string, Set<string>>();
  /** Pairs of a message definition and its params definition, because only some revisions name the params. */
  readonly #params: (readonly [message: string, params: string])[] = [];
  readonly #models: readonly ProtocolModel[];

  constructor(models: readonly ProtocolModel[]) {
    this.#models = models;
    for (const method of models.flatMap(({ methods }) => methods)) {
      const { name, message, params } = method;
      for (const definition of [message, params.definition, ...answersOf(method)])
        if (definition !== undefined) this.#methodsFor(definition).add(name);
      if (params.definition !== undefined) this.#params.push([message, params.definition]);
    }
  }

  #methodsFor(definition: string): Set<string> {
    const methods = this.#methods.get(definition) ?? new Set();
    this.#methods.set(definition, methods);
    return methods;
  }

  /** The method that uses the definition as message, params or result; none if several methods share it. */
  methodsOf(definition: string): string[] {
    const methods = [...(this.#methods.get(definition) ?? [])];
    return methods.length > 1 ? [] : methods;
  }

  isParams(definition: string, path: string): boolean {
    return path === "params" && this.#methods.has(definition);
  }

  /** Whether the runtime, rather than a handler, writes and reads the property. */
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

/**
 * The names by which code uses changed parts of a contract: functions of handlers and of the client, types of
 * arguments and results with their members, and entry names in calls.
 *
 * @param old the contract that the code was generated from
 * @returns the targets of each finding
 */
export function contractTargets(findings: readonly Finding[], old: Contract): Target[][] {
  const names = contractNames(old);
  return findings.map((finding) => {
    const { subject } = finding;
    if ("method" in subject) return [];
    const entry = entryOf(subject.definition, names);
    if (!entry) return [];
    return placedEntry(entry, subject.path, finding);
  });
}

/** The names of a list's entry in generated code. */
interface Entry {
  readonly targets: readonly Target[];
  /** The namespace of its types, if it has any. */
  readonly namespace: string | undefined;
}

function entryOf(subject: string, names: ContractNames): Entry | undefined {
  const slash = subject.indexOf("/");
  const [list, key] = [subject.slice(0, slash), subject.slice(slash + 1)];
  const named = namesIn(list, names).get(key);
  if (named === undefined) return undefined;
  const { method, namespace } = typeof named === "string" ? { method: named, namespace: undefined } : named;
  const targets: Target[] = [
    { kind: "entry", list, name: key },
    { kind: "member", definition: "Handlers", path: `${list}.${key}` },
    { kind: "member", definition: names.listType(list), path: method },
  ];
  if (namespace !== undefined) targets.push({ kind: "definition", name: namespace });
  return { targets, namespace };
}

type Named = ReadonlyMap<string, string | { readonly method: string; readonly namespace: string }>;

function namesIn(list: string, { tools, prompts, resources, templates }: ContractNames): Named {
  const lists: Readonly<Record<string, Named>> = { tools, prompts, resources, resourceTemplates: templates };
  return lists[list] ?? new Map();
}

/** The generated type for each schema of an entry. */
const types: Readonly<Record<string, string>> = { arguments: "Arguments", result: "Result" };

function placedEntry({ targets, namespace }: Entry, path: string, finding: Finding): Target[] {
  const [noun = "", ...way] = plainPath(path).split(".");
  const type = types[noun];
  if (type === undefined || namespace === undefined || way.length === 0) return [...targets];
  const [first = ""] = way;
  const steps = first.startsWith("$defs/")
    ? [capitalised(first.slice("$defs/".length)), ...way.slice(1)]
    : [type, ...way];
  const member = (way: readonly string[]): Target => ({
    kind: "member",
    definition: namespace,
    path: way.join("."),
    ...valueOf(finding),
  });
  const there = finding.pointers.old === null ? [] : [member(steps)];
  if (!isMissing(finding)) return there;
  return [...there, ...(steps.length > 2 ? [member(steps.slice(0, -1))] : targets)];
}
