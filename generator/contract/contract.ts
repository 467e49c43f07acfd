import type { JsonObject } from "@mcpgen/engine";
import type { Place } from "../diagnostics/coded-error.js";

/** What a server offers, in the shapes of the protocol's own lists; members it does not know are kept as they are. */
export interface Contract {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly instructions?: string;
  readonly capabilities?: JsonObject;
  readonly tools?: readonly ContractTool[];
  readonly resources?: readonly ContractResource[];
  readonly resourceTemplates?: readonly ContractTemplate[];
  readonly prompts?: readonly ContractPrompt[];
}

export interface ContractTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
}

interface ContractResource {
  readonly name: string;
  readonly uri: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

export interface ContractTemplate {
  readonly name: string;
  readonly uriTemplate: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

interface ContractPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly ContractPromptArgument[];
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
  /** What the file holds. */
  readonly text: string;
  /** Where the value at a JSON Pointer stands; where there is none, the nearest value around it. */
  readonly place: (pointer: string) => Place;
}
