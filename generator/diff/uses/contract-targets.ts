import type { Contract } from "../../contract/contract.js";
import { type ContractNames, contractNames } from "../../contract/emit/names.js";
import { capitalised } from "../../print/names.js";
import type { Finding } from "../finding.js";
import { isMissing } from "./protocol-targets.js";
import { type Target, plainPath, valueOf } from "./targets.js";

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
    return placed(entry, subject.path, finding);
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

function placed({ targets, namespace }: Entry, path: string, finding: Finding): Target[] {
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
