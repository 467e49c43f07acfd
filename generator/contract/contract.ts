import { existsSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, type JsonValue, pointer } from "@mcpgen/engine";
import type { Place } from "../diagnostics/coded-error.js";
import { sha256 } from "../files/regular-file.js";

/**
 * The offer of a server, in the shapes of the protocol's lists; unknown members are kept unchanged. `scopes` of an entry is
 * what a request needs, `task` of a tool how its calls run: no list of the protocol has them.
 */
export interface Contract {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly instructions?: string;
  readonly capabilities?: JsonObject;
  /** `false`: the server left entries out of the lists in `asked`; of any list where there is no `asked`. */
  readonly complete?: boolean;
  readonly asked?: Asked;
  readonly tools?: readonly ContractTool[];
  readonly resources?: readonly ContractResource[];
  readonly resourceTemplates?: readonly ContractTemplate[];
  readonly prompts?: readonly ContractPrompt[];
}

export type ContractList = keyof typeof identities;

/** The lists of a contract, each with the member that identifies its entries. */
export const identities = {
  tools: "name",
  resources: "uri",
  resourceTemplates: "uriTemplate",
  prompts: "name",
} as const;

/** The parameters that a server was asked with for its incomplete lists, for each request; the cursor aside. */
export type Asked = { readonly [List in ContractList]?: readonly JsonObject[] };

export interface ContractTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  readonly task?: ContractTask;
  readonly scopes?: readonly string[];
}

/** How calls of a tool run as tasks. */
interface ContractTask {
  readonly support: "optional" | "required" | "forbidden";
  readonly inlineMs?: number;
  readonly onRestart?: "replay" | "fail";
  readonly immediate?: string;
  readonly maxRunMs?: number;
}

interface ContractResource {
  readonly name: string;
  readonly uri: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly scopes?: readonly string[];
}

export interface ContractTemplate {
  readonly name: string;
  readonly uriTemplate: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly scopes?: readonly string[];
}

interface ContractPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly ContractPromptArgument[];
  readonly scopes?: readonly string[];
}

interface ContractPromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** A contract as read from a file. */
export interface ContractDocument {
  readonly contract: Contract;
  /** The file as the user named it. */
  readonly file: string;
  /** The content of the file. */
  readonly text: string;
  /** The position of the value at a JSON Pointer; of the nearest value around it, if there is none. */
  readonly place: (pointer: string) => Place;
}

/** Levels that a contract may have: more than any schema that values can be judged by, and few enough to recurse over. */
export const mostLevels = 1000;

/** JSON Pointer of the first value that stands deeper than `mostLevels`; as deep as it goes, without recursion. */
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

/** The file name of a contract, unless a name is given. */
export const contractFileName = "mcp.contract.yaml";

/** The name of the contract that a folder holds; undefined where it holds none of a usual name. */
export function contractIn(folder: string): string | undefined {
  return [contractFileName, "mcp.contract.json"].find((name) => existsSync(join(folder, name)));
}

/**
 * sha256 of a contract's content, in hexadecimal. Comments, white space, quotes and the notation (JSON or YAML) do not
 * change it. The order of keys does: generated code and the server's lists keep that order.
 */
export function contractSha256(contract: Contract): string {
  return sha256(JSON.stringify(contract));
}
