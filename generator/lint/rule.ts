import type { JsonObject, UnreadPart } from "@mcpgen/engine";
import type { ContractTool } from "../contract/contract.js";
import type { Edit } from "../contract/edit/edit.js";

/**
 * The model interfaces that hosts pass tools to. Gemini takes schemas in the field `parametersJsonSchema`, or in its older
 * field `parameters` (`gemini-parameters`); `strict` is OpenAI's strict mode.
 */
export const profiles = ["claude", "openai", "gemini", "gemini-parameters", "strict"] as const;

export type Profile = (typeof profiles)[number];

/** The profiles that apply if none is named: the interfaces that hosts use unless their user chooses another one. */
export const usualProfiles: readonly Profile[] = ["claude", "openai", "gemini"];

/** A schema or subschema of a tool's arguments or result. */
export interface SchemaPlace {
  readonly schema: JsonObject;
  /** JSON Pointer in the contract. */
  readonly pointer: string;
  readonly isRoot: boolean;
  /** Number of objects and arrays around it. */
  readonly depth: number;
}

/** The input of a rule: one tool, with all its schemas. */
export interface LintSubject {
  readonly tool: ContractTool;
  /** JSON Pointer of the tool. */
  readonly pointer: string;
  /** The schema of the arguments and every schema below, in the order of the text. A warning gets none of unused definitions. */
  readonly places: readonly SchemaPlace[];
  /** The same of the schema of the result; empty without one. */
  readonly results: readonly SchemaPlace[];
  /** The parts of both schemas that cannot be read, by JSON Pointers in the contract. */
  readonly unread: () => readonly UnreadPart[];
  /** Pointers of unused definitions. */
  readonly unused: readonly string[];
  /** For each tool name that resembles others in the contract: the others. */
  readonly alike: ReadonlyMap<string, readonly string[]>;
  /** For each scope that resembles others in the contract: the others. */
  readonly similarScopes: ReadonlyMap<string, readonly string[]>;
}

/** A violation of a rule. */
export interface Spot {
  /** JSON Pointer in the contract; the report adds file and line. */
  readonly pointer: string;
  /** Describes the violation, as a phrase: the report joins those of one rule with commas and counts their places. */
  readonly message: string;
  /** What mends it for certain; `lint --fix` does that. */
  readonly mend?: Mend;
}

/** Edits of a contract after which its schemas accept the same values, and no name, text or right is another one. */
export interface Mend {
  readonly edits: readonly Edit[];
  /** What they replace is invalid in 2020-12, and has one meaning: in an older draft, or in patterns without the flag `u`. */
  readonly respells?: true;
}

export type Level = "error" | "warning";

/** One row of the table of rules. */
export interface LintRule {
  readonly id: string;
  readonly profiles: readonly Profile[];
  /** `error`: the interface rejects the request, usually with all its tools. `warning`: a host or a model may fail. */
  readonly level: Level;
  /** Profiles for which a violation is a warning although the level is `error`. */
  readonly warns?: readonly Profile[];
  /** Why, in whole sentences, as `fix`. */
  readonly reason: string;
  /** The advice. */
  readonly fix: string;
  /** What `lint --fix` does, where that is certain: a phrase without a subject. */
  readonly certain?: string;
  /** The message of a line about several tools; without it, that line joins their messages. */
  readonly several?: string;
  /** Documentation or reports of the limit. */
  readonly sources?: readonly string[];
  readonly find: (subject: LintSubject) => readonly Spot[];
}

export const everyProfile: readonly Profile[] = profiles;

/** Both fields of Gemini. */
export const geminiProfiles: readonly Profile[] = ["gemini", "gemini-parameters"];

/** The level of a rule's violation for some of its profiles. */
export function levelFor({ level, warns = [] }: LintRule, concerned: readonly Profile[]): Level {
  return concerned.every((profile) => warns.includes(profile)) ? "warning" : level;
}
