import { existsSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, type JsonValue, pointer } from "@mcpgen/engine";
import type { Place } from "../diagnostics/coded-error.js";
import { sha256 } from "../files/regular-file.js";

/**
 * What a server offers, in the shapes of the protocol's lists; unknown members are kept unchanged. `scopes`
 * (what a request to an entry requires), `replay` (whether its handler may run again for each answer of a client) and `task`
 * (how a tool's calls run) are additions that no list of the protocol has.
 */
export interface Contract {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly instructions?: string;
  readonly capabilities?: JsonObject;
  /**
   * `false` if the server omitted entries from the lists in `asked`, or possibly from any list if `asked` is
   * absent.
   */
  readonly complete?: boolean;
  readonly asked?: Asked;
  readonly tools?: readonly ContractTool[];
  readonly resources?: readonly ContractResource[];
  readonly resourceTemplates?: readonly ContractTemplate[];
  readonly prompts?: readonly ContractPrompt[];
}

export type ContractList = keyof typeof identities;

/** The lists of a contract, with the member that identifies an entry. */
export const identities = {
  tools: "name",
  resources: "uri",
  resourceTemplates: "uriTemplate",
  prompts: "name",
} as const;

/** The noun for an entry of each list, in messages. */
export const nouns: Readonly<Record<ContractList, string>> = {
  tools: "tool",
  resources: "resource",
  resourceTemplates: "resource template",
  prompts: "prompt",
};

/** For incomplete lists: the parameters of each list request, without the cursor. */
export type Asked = { readonly [List in ContractList]?: readonly JsonObject[] };

/** The members of entries of every list. */
interface ContractEntry {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly scopes?: readonly string[];
  readonly replay?: boolean;
}

export interface ContractTool extends ContractEntry {
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  readonly task?: ContractTask;
}

/** How a tool's calls run as tasks. */
interface ContractTask {
  readonly support: "optional" | "required" | "forbidden";
  readonly inlineMs?: number;
  readonly onRestart?: "replay" | "fail";
  readonly immediate?: string;
  readonly maxRunMs?: number;
}

interface ContractResource extends ContractEntry {
  readonly uri: string;
  readonly mimeType?: string;
}

export interface ContractTemplate extends ContractEntry {
  readonly uriTemplate: string;
  readonly mimeType?: string;
}

interface ContractPrompt extends ContractEntry {
  readonly arguments?: readonly ContractPromptArgument[];
}

interface ContractPromptArgument extends Pick<ContractEntry, "name" | "title" | "description"> {
  readonly required?: boolean;
}

/** A contract read from a file. */
export interface ContractDocument {
  readonly contract: Contract;
  /** The file as named by the user. */
  readonly file: string;
  /** The file's text. */
  readonly text: string;
  /** The position of the value at a JSON Pointer, or of the nearest enclosing value. */
  readonly place: (pointer: string) => Place;
}

/** Maximum nesting of a contract: more than any usable schema has, and small enough for recursion. */
export const mostLevels = 1000;

/** JSON Pointer of the first value nested deeper than `mostLevels`. Does not recurse. */
export function tooDeep(value: JsonValue): string | undefined {
  let level: [at: string, value: JsonValue][] = [["", value]];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > mostLevels) return level[0]![0];
    const below: typeof level = [];
    for (const [at, each] of level)
      if (typeof each === "object" && each !== null)
        for (const [key, member] of Object.entries(each))
          if (typeof member === "object" && member !== null) below.push([pointer(at, key), member]);
    level = below;
  }
  return undefined;
}

/** Default file name of a contract. */
export const contractFileName = "mcp.contract.yaml";

/** The name of the contract file in a folder; undefined if there is none with a usual name. */
export function contractIn(folder: string): string | undefined {
  return [contractFileName, "mcp.contract.json"].find((name) => existsSync(join(folder, name)));
}

/**
 * SHA-256 of a contract's content in hexadecimal. Independent of comments, white space, quotes and notation
 * (JSON or YAML), but not of key order, which generated code and the server's lists keep.
 */
export function contractSha256(contract: Contract): string {
  return sha256(JSON.stringify(contract));
}
