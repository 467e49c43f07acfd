import { type Rules, checkOptions, invalid } from "../options/option-check.js";
import type { HandlerContext } from "./context.js";
import type { Listed } from "./listing.js";
import { type Kind, keyMembers } from "./definitions.js";

/** How one server shows the tools and prompts of another. */
export interface MountOptions {
  /**
   * Text before the names of tools and prompts, without the separator: letters and digits of ASCII, `_`, `-` and `.`
   * (server features, tools, tool names). Default: the names stay as they are.
   */
  readonly prefix?: string;
  /** Stands between the prefix and the name. Default: `"_"`, which APIs of models accept. */
  readonly separator?: "_" | "-" | ".";
}

/** A server that another one shows. */
export interface Mount {
  /** Takes its tools, resources, templates and prompts out of the other server. Calls that run go on. */
  unmount(): void;
}

const rules: Rules<MountOptions> = { prefix: "string", separator: ["_", "-", "."] };

/** The longest name of a tool (server features, tools, tool names). */
const longestName = 128;

/**
 * The text before names, with the separator.
 *
 * @throws {McpError} `invalid-definition`
 */
export function prefixOf(options: MountOptions): string {
  checkOptions(options, rules, "mount: ");
  const { prefix, separator = "_" } = options;
  if (prefix === undefined) return "";
  if (/^[\w.-]+$/.test(prefix)) return prefix + separator;
  throw invalid(
    `mount: prefix: expected letters, digits, "_", "-" or ".", got ${JSON.stringify(prefix)}. Leave it out to keep the names.`,
  );
}

/**
 * The key of an entry in the server that shows it. URIs and templates stay as they are.
 *
 * @throws {McpError} `invalid-definition`: the name is too long
 */
export function keyIn(kind: Kind, prefix: string, key: string): string {
  if (keyMembers[kind] !== "name") return key;
  const name = prefix + key;
  if (prefix === "" || name.length <= longestName) return name;
  throw invalid(
    `${kind}: ${JSON.stringify(name)} has ${name.length} characters; a name has at most ${longestName}. Choose a shorter prefix.`,
  );
}

/** The entry in the server that shows it. `visible` gets the definition as its author wrote it. */
export function entryIn(kind: Kind, prefix: string, entry: Listed): Listed {
  const member = keyMembers[kind];
  if (prefix === "" || member !== "name") return entry;
  const { definition, visible } = entry;
  return {
    ...entry,
    definition: { ...definition, name: keyIn(kind, prefix, definition[member] as string) },
    visible: visible && ((_, context: HandlerContext) => visible(definition as never, context)),
  };
}
