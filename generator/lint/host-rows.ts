import hosts from "../host/hosts.json" with { type: "json" };

/** The keys of hosts.json. */
export type HostName = "claude-code" | "codex" | "copilot-cli" | "gemini-cli" | "opencode" | "qwen-code";

/** Milliseconds without a byte: as long as a call was seen to survive, or after which the host gave up. */
export type KnownQuiet = { readonly [key in "worked" | "limit"]?: number };

/** What is known of a host; an absent member was not observed. hosts.schema.json describes all members. */
export interface HostRow {
  readonly title: string;
  /** The npm package that has it, and the program of the package. */
  readonly package: string;
  readonly program: string;
  /** The smallest major version of Node.js that it runs on. */
  readonly node: number;
  /** The models that it is usually used with, as profiles of `lint`. */
  readonly models: readonly string[];
  /** The name of a tool for the model, of SERVER and TOOL; a namespace ends with a slash. */
  readonly name?: string;
  /** Revisions of its calls: with a server that speaks all, and with one that knows the handshake alone (`legacy`). */
  readonly revision?: { readonly [kind in "stdio" | "http" | "legacy"]?: string };
  /** What it does with tools that break a rule of `lint`, by the rule's id. */
  readonly rules?: { readonly [rule: string]: string };
  /** Where it does something else with a server of an older revision than it speaks: that, or `nothing`. */
  readonly olderRules?: { readonly [rule: string]: string };
  /** For a server that starts as a command. */
  readonly startup?: KnownQuiet;
  readonly quiet?: { readonly [kind in "stdio" | "http"]?: KnownQuiet };
  /** Lengths of texts of results that reach the model whole, and shortened; whether a text of JSON that is not an object does. */
  readonly result?: {
    readonly text?: { readonly whole?: number; readonly cut?: number };
    readonly json?: string;
  };
  /** Whether it was seen to obey the variables for proxies. */
  readonly proxy?: boolean;
}

export const hostRows: { readonly [Name in HostName]: HostRow } = hosts;

/** The names of the hosts, as users write them. */
export const hostNames = Object.keys(hostRows) as readonly HostName[];
