import type { JsonObject } from "@mcpgen/engine";
import type { Finding } from "../diagnostics/coded-error.js";
import { shownJson } from "../print/terminal-text.js";
import type { Render } from "../print/templates.js";
import type { Contract } from "../contract/contract.js";

/** The inputs of packaging. */
export interface PackageRequest {
  readonly contract: Contract;
  /** The project's package.json. */
  readonly manifest: JsonObject;
  /** Path of package.json in messages. */
  readonly manifestFile: string;
  /** The first line of the program that starts the server; undefined if the program does not exist yet. */
  readonly firstLine: string | undefined;
  /** The name in the MCP registry, if given by an option. */
  readonly registryName: string | undefined;
  /** The author, if given by an option. */
  readonly author: string | undefined;
  /** The URL of the running server, if given. */
  readonly remote: string | undefined;
  readonly render: Render;
}

/** The files by path in the project, and findings that prevent their use. */
export interface PackageFiles {
  readonly files: ReadonlyMap<string, string>;
  readonly findings: readonly Finding[];
  /** The commands to run next. */
  readonly next: string;
}

export function json(value: object): string {
  return `${shownJson(value)}\n`;
}
