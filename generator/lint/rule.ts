import type { JsonObject, UnreadPart } from "@mcpgen/engine";
import type { ContractTool } from "../contract/contract.js";
import type { Edit } from "../contract/edit/edit.js";
import { type HostName, type HostRow, hostNames, hostRows } from "./host-rows.js";

/**
 * The model interfaces that hosts pass tools to. Gemini takes schemas in the field `parametersJsonSchema`, or
 * in its older field `parameters` (`gemini-parameters`). `strict` is OpenAI's strict mode.
 */
export const profiles = ["claude", "openai", "gemini", "gemini-parameters", "strict"] as const;

export type ModelProfile = (typeof profiles)[number];

/** Whom tools are judged for: a model interface, or a host whatever its model is. */
export type Profile = ModelProfile | HostName;

/** The default profiles: the interfaces that hosts use unless the user chooses another. */
export const usualProfiles: readonly ModelProfile[] = ["claude", "openai", "gemini"];

/** The profiles in development: the usual interfaces, and all hosts. */
export const everydayProfiles: readonly Profile[] = [...usualProfiles, ...hostNames];

/** A schema or subschema of a tool's arguments or result. */
export interface SchemaPlace {
  readonly schema: JsonObject;
  /** JSON Pointer into the contract. */
  readonly pointer: string;
  readonly isRoot: boolean;
  /** Number of enclosing objects and arrays. */
  readonly depth: number;
}

/** The input of a rule: one tool with all its schemas. */
export interface LintSubject {
  readonly tool: ContractTool;
  /** JSON Pointer of the tool. */
  readonly pointer: string;
  /**
   * The arguments' schema and all subschemas in the order of the text. For warnings, without unused
   * definitions.
   */
  readonly places: readonly SchemaPlace[];
  /** The same for the result's schema; empty if there is none. */
  readonly results: readonly SchemaPlace[];
  /** The unreadable parts of both schemas, with JSON Pointers into the contract. */
  readonly unread: () => readonly UnreadPart[];
  /** Pointers of unused definitions. */
  readonly unused: readonly string[];
  /** For each tool name that resembles others in the contract: the others. */
  readonly alike: ReadonlyMap<string, readonly string[]>;
  /** For each scope that resembles others in the contract: the others. */
  readonly similarScopes: ReadonlyMap<string, readonly string[]>;
}

/** A place that violates a rule. */
export interface Spot {
  /** JSON Pointer into the contract; the report adds file and line. */
  readonly pointer: string;
  /**
   * Describes the violation as a phrase. The report joins the phrases of one rule with commas and counts the
   * places.
   */
  readonly message: string;
  /** A certain correction, which `lint --fix` applies. */
  readonly mend?: Mend;
}

/**
 * Edits after which the contract's schemas accept the same values, and no name, text or permission has
 * changed.
 */
export interface Mend {
  readonly edits: readonly Edit[];
  /**
   * Whether the replaced part is invalid in 2020-12 but has one clear meaning: in an older draft, or in
   * patterns without the flag `u`.
   */
  readonly respells?: true;
}

export type Level = "error" | "warning";

/** A row of the rule table. */
export interface LintRule {
  readonly id: string;
  /** The model interfaces that it concerns; the hosts are in hosts.json. */
  readonly profiles: readonly ModelProfile[];
  /**
   * `error`: the interface rejects the request, usually with all its tools. `warning`: a host or a model may
   * fail.
   */
  readonly level: Level;
  /** Profiles for which a violation is only a warning although the level is `error`. */
  readonly warns?: readonly ModelProfile[];
  /** The reason, in complete sentences. */
  readonly reason: string;
  /** The advice, in complete sentences. */
  readonly fix: string;
  /** What `lint --fix` does, if it can: a phrase without a subject. */
  readonly certain?: string;
  /** The message of a line about several tools; by default their joined messages. */
  readonly several?: string;
  /** Documentation or bug reports about the limit. */
  readonly sources?: readonly string[];
  /** Whether hosts judge the name that they make of those of server and tool. */
  readonly inHosts?: true;
  readonly find: (subject: LintSubject) => readonly Spot[];
}

export const everyProfile: readonly ModelProfile[] = profiles;

/** The profiles for both fields of Gemini. */
export const geminiProfiles: readonly ModelProfile[] = ["gemini", "gemini-parameters"];

/** What a host does with a tool that violates a rule. */
export const effects = {
  "drops-all": { level: "error", phrase: "leaves all tools of the server out" },
  drops: { level: "error", phrase: "leaves the tool out" },
  fails: { level: "error", phrase: "cannot call the tool" },
  renames: { level: "warning", phrase: "renames the tool" },
  rewrites: { level: "warning", phrase: "rewrites its schema or description" },
  cuts: { level: "warning", phrase: "shortens its description" },
} as const;

type Effect = keyof typeof effects;

function rowOf(profile: Profile): HostRow | undefined {
  return Object.hasOwn(hostRows, profile) ? hostRows[profile as HostName] : undefined;
}

/**
 * What a host does with a tool that violates a rule; undefined if nothing.
 *
 * @param revision of the server; by default the newest
 */
export function effectOf(
  { revision: preferred, rules, olderRules }: Pick<HostRow, "revision" | "rules" | "olderRules">,
  rule: string,
  revision?: string,
): Effect | undefined {
  const isOlder = revision !== undefined && preferred?.stdio !== undefined && revision < preferred.stdio;
  const effect = (isOlder ? olderRules?.[rule] : undefined) ?? rules?.[rule];
  return effect === "nothing" ? undefined : (effect as Effect | undefined);
}

/** Where a violation is. */
interface Circumstances {
  /** Whether it is in the schema of a result. */
  readonly inResult?: boolean;
  /** The revision of the server; by default the newest. */
  readonly revision?: string | undefined;
}

/**
 * The level of a violation for a profile; undefined if the rule does not concern it. What a host rewrites
 * matters where one of its models has the rule, and the model gets the schema: that of arguments.
 */
export function levelFor(
  rule: LintRule,
  profile: Profile,
  { inResult = false, revision }: Circumstances = {},
): Level | undefined {
  const row = rowOf(profile);
  if (row) {
    const effect = effectOf(row, rule.id, revision);
    const isRepaired =
      effect === "rewrites" && (inResult || !rule.profiles.some((each) => row.models.includes(each)));
    return effect && !isRepaired ? effects[effect].level : undefined;
  }
  if (!rule.profiles.includes(profile as ModelProfile)) return undefined;
  return rule.warns?.includes(profile as ModelProfile) ? "warning" : rule.level;
}

/** The name that a profile's model gets of a tool. */
export function nameFor(profile: Profile, server: string, tool: string): string {
  const { name = "TOOL" } = rowOf(profile) ?? {};
  return name
    .replace(/^.*\//, "")
    .replace("SERVER", () => server)
    .replace("TOOL", () => tool);
}

/** How messages about a rule name a profile: a host with what it does. @param revision of the server */
export function profileText(rule: string, profile: Profile, revision?: string): string {
  const row = rowOf(profile);
  return row ? `${row.title} ${effects[effectOf(row, rule, revision)!].phrase}` : profile;
}
