import { type Finding, levelFor } from "../finding.js";
import type { Finding as Remark } from "../../diagnostics/coded-error.js";
import type { ProtocolModel } from "../../model/model.js";
import type { Contract } from "../../contract/contract.js";
import { type ContractNames, contractNames } from "../../contract/emit/names.js";
import { capitalised } from "../../print/text.js";

/** The name by which code uses the subject of a finding, in generated code or as a literal. */
export type Target =
  /** A type; of a contract, the namespace of a tool, prompt or resource template. */
  | { readonly kind: "definition"; readonly name: string; readonly wireOnly?: boolean }
  /** A member of a type, `a.b` for one further in. */
  | {
      readonly kind: "member";
      readonly definition: string;
      readonly path: string;
      /** The one value that it is about, as JSON; code that writes another one there does not meet it. */
      readonly value?: string;
    }
  /** A method of the protocol. */
  | { readonly kind: "method"; readonly name: string; readonly wireOnly?: boolean }
  /** The code of an error, as a number. */
  | { readonly kind: "code"; readonly code: string }
  /** The name of an error in the tables of errors. */
  | { readonly kind: "error"; readonly name: string }
  /** The name or URI of an entry of a list of a contract, as a literal. */
  | { readonly kind: "entry"; readonly list: string; readonly name: string };

/** A finding that a target belongs to. */
export interface Claim {
  readonly finding: number;
  /** Only where messages are written out whole: the runtime fills in what it is about. */
  readonly wireOnly: boolean;
  /** The one value of a member that it is about, as JSON. */
  readonly value?: string;
}

/** The targets of all findings, by what they name. */
export class TargetIndex {
  readonly definitions = new Map<string, Claim[]>();
  /** By definition and path: `Tool.name`. */
  readonly members = new Map<string, Claim[]>();
  readonly methods = new Map<string, Claim[]>();
  readonly errors = new Map<string, Claim[]>();
  /** By list and name: `tools/search`. */
  readonly entries = new Map<string, Claim[]>();
  /** By the number as code writes it: `-32042`. */
  readonly codes = new Map<string, Claim[]>();
  /** The words that code can name any of it by. */
  readonly words = new Set<string>();

  /** @param targets by finding */
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

/** The value that a finding about one of several is about, as JSON. */
function valueOf({ rule, old, new: next }: Pick<Finding, "rule" | "old" | "new">): { value?: string } {
  const value = rule.startsWith("enum-value-") ? (old ?? next) : null;
  return value === null ? {} : { value };
}

export function memberKey(definition: string, path: string): string {
  return `${definition}.${path}`;
}

/** A path of a report without its marks for items and undeclared members, which types have no names for. */
function plainPath(path: string): string {
  return path.replace(/\[\]|\{\}/g, "").replace(/^\.|\.$/g, "");
}

/** A place in code that uses the subject of a finding; line and column start at 1. */
export interface Use {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The text of the use. */
  readonly name: string;
}

/** The result of reading a code base. */
export interface CodeUses {
  /** For each finding, in their order, its uses in the order of files and places. */
  readonly uses: readonly (readonly Use[])[];
  /** How many files were looked through. */
  readonly files: number;
  /** Files whose generated imports lead nowhere: names alone decided there. */
  readonly byName: readonly string[];
  /** Files that do not parse; what does of them was looked through. */
  readonly remarks: readonly Remark[];
}

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
function isMissing(finding: Finding): boolean {
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

/**
 * What code names where it meets a difference between two contracts: functions of handlers and of the client, types of
 * arguments and results with their members, and names that calls are made with.
 *
 * @param old the contract that the code was generated from
 * @returns by finding
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

/** How generated code names an entry of a list. */
interface Entry {
  readonly targets: readonly Target[];
  /** The name of its types, if it has any. */
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

/** The types that a schema of an entry becomes. */
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
