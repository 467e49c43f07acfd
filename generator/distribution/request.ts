import type { JsonObject } from "@mcpgen/engine";
import type { Finding } from "../diagnostics/coded-error.js";
import { shownJson } from "../print/terminal-text.js";
import type { Render } from "../print/templates.js";
import type { Contract } from "../contract/contract.js";

/** The inputs of packaging files. */
export interface PackageRequest {
  readonly contract: Contract;
  /** The project's package.json. */
  readonly manifest: JsonObject;
  /** The path of package.json as messages call it. */
  readonly manifestFile: string;
  /** The first line of the program that starts the server; undefined where there is none yet. */
  readonly firstLine: string | undefined;
  /** The name in the MCP registry, where an option gives it. */
  readonly registryName: string | undefined;
  /** The author, where an option names one. */
  readonly author: string | undefined;
  /** The address at which the server runs on the network, if it does. */
  readonly remote: string | undefined;
  readonly render: Render;
}

/** Files by their path in the project, and what stands in the way of using them. */
export interface PackageFiles {
  readonly files: ReadonlyMap<string, string>;
  readonly findings: readonly Finding[];
  /** The commands that come next. */
  readonly next: string;
}

export function json(value: object): string {
  return `${shownJson(value)}\n`;
}
