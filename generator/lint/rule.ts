import type { JsonObject, UnreadPart } from "@mcpgen/engine";
import type { ContractTool } from "../contract/contract.js";
import type { Edit } from "../contract/edit/edit.js";

/**
 * Profiles: the model interfaces that hosts pass tools to. Gemini takes schemas in the field
 * `parametersJsonSchema`, or in its older field `parameters` (`gemini-parameters`). `strict` is OpenAI's
 * strict mode.
 */
export const profiles = ["claude", "openai", "gemini", "gemini-parameters", "strict"] as const;

export type Profile = (typeof profiles)[number];

/** The default profiles: the interfaces that hosts use unless the user chooses another. */
export const usualProfiles: readonly Profile[] = ["claude", "openai", "gemini"];

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
  readonly profiles: readonly Profile[];
  /**
   * `error`: the interface rejects the request, usually with all its tools. `warning`: a host or a model may
   * fail.
   */
  readonly level: Level;
  /** Profiles for which a violation is only a warning although the level is `error`. */
  readonly warns?: readonly Profile[];
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
  readonly find: (subject: LintSubject) => readonly Spot[];
}

export const everyProfile: readonly Profile[] = profiles;

/** The profiles for both fields of Gemini. */
export const geminiProfiles: readonly Profile[] = ["gemini", "gemini-parameters"];

/** The level of a violation for the given profiles. */
export function levelFor({ level, warns = [] }: LintRule, concerned: readonly Profile[]): Level {
  return concerned.every((profile) => warns.includes(profile)) ? "warning" : level;
}
