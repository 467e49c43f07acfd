import type { JsonObject } from "@mcpgen/engine";
import type { ContractTool } from "../contract/contract.js";

/** Who a contract is judged for: hosts by the model interface they hand tools to; `strict` is OpenAI's strict mode. */
export const profiles = ["claude", "openai", "gemini", "strict"] as const;

export type Profile = (typeof profiles)[number];

/** A schema or subschema of a tool's arguments. */
export interface SchemaPlace {
  readonly schema: JsonObject;
  /** JSON Pointer in the contract. */
  readonly pointer: string;
  readonly isRoot: boolean;
  /** How many objects and arrays are around it. */
  readonly depth: number;
}

/** What a rule looks at: one tool, with all its schemas. */
export interface LintSubject {
  readonly tool: ContractTool;
  /** JSON Pointer of the tool. */
  readonly pointer: string;
  readonly places: readonly SchemaPlace[];
  /** Pointers of definitions that nothing leads to. */
  readonly unused: readonly string[];
  /** Of a name that other tools of the contract almost have: theirs. */
  readonly alike: ReadonlyMap<string, readonly string[]>;
}

/** Something that a rule is against. */
export interface Spot {
  readonly pointer: string;
  /** What is there, in words. */
  readonly message: string;
}

/** One row of the table of rules. */
export interface LintRule {
  readonly id: string;
  readonly profiles: readonly Profile[];
  /** `error`: the host refuses the request, mostly with all its tools. `warning`: it, or a model, may stumble. */
  readonly level: "error" | "warning";
  readonly reason: string;
  /** What to do, in words. */
  readonly fix: string;
  /** The message of a line about several tools; without it, that line has the messages of all of them. */
  readonly several?: string;
  /** Where it is documented, or was met. */
  readonly sources?: readonly string[];
  readonly find: (subject: LintSubject) => readonly Spot[];
}

export const everyProfile: readonly Profile[] = profiles;
