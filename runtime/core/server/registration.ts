import { invalid } from "@mcpgen/base";
import type { Server, ServerOptions } from "./server.js";
import type { DefinitionRule, DefinitionRules, ExtensionUse } from "@mcpgen/protocol/model";
import { checkDefinition, requireHandler } from "./definition-check.js";
import { type Kind, type Registration, keyMembers } from "./definitions.js";
import { type Listed, isScopes } from "./listing.js";
import type { Offers } from "./offers.js";

/** The members of a definition with its key and the handler. */
interface Given {
  readonly [member: string]: unknown;
}

/**
 * Makes the entry of a definition.
 *
 * @param place the registration, for errors
 * @throws {McpError} `invalid-definition`
 */
export type Build<Entry extends Listed> = (
  place: string,
  given: Given,
) => { readonly [Member in Exclude<keyof Entry, "added" | "enabled" | "scopes" | "replay">]: unknown };

/** For each kind: its name in errors, its definition in the protocol, and further members of a registration. */
const kinds = {
  tools: { word: "tool", definition: "Tool", own: ["visible", "scopes", "replay"] },
  resources: { word: "resource", definition: "Resource", own: ["visible", "scopes", "replay", "cache"] },
  templates: {
    word: "template",
    definition: "ResourceTemplate",
    own: ["visible", "scopes", "replay", "cache", "complete", "list"],
  },
  prompts: { word: "prompt", definition: "Prompt", own: ["visible", "scopes", "replay", "complete"] },
} as const;

/** Members of definitions that belong to extensions, with their rules. */
type Added = DefinitionRules[string];

/** A registration of any kind, without the types of its definition. */
interface AnyRegistration extends Registration {
  update(changes?: Given): void;
}

/**
 * Registers a definition with its handler.
 *
 * @throws {McpError} `invalid-definition`
 */
export function register<Entry extends Listed>(
  offers: Offers,
  kind: Kind,
  key: string,
  definition: object,
  handler: unknown,
  build: Build<Entry>,
): AnyRegistration {
  const member = keyMembers[kind];
  checkMembers(kind, key, definition, offers.added[kind] ?? {});
  const { [member]: other = key } = definition as Given;
  if (other !== key)
    throw invalid(
      `${kind}: ${JSON.stringify(key)}: its definition has another ${member}, ${JSON.stringify(other)}. Leave ${member} out.`,
    );
  return registered(offers, kind, { [member]: key, ...definition, [member]: key, handler }, build);
}

// Users may destructure a registration: its functions do not depend on `this`.
function registered(offers: Offers, kind: Kind, first: Given, build: Build<Listed>): AnyRegistration {
  const member = keyMembers[kind];
  let given = first;
  let entry: Listed | undefined;
  const put = (next: Given, made: Listed): void => {
    offers.put(kind, next[member] as string, made, entry && (given[member] as string));
    given = next;
    entry = made;
  };
  const enable = (enabled: boolean): void => {
    if (entry) put(given, { ...entry, enabled });
  };
  const added = offers.added[kind] ?? {};
  put(first, entryOf(offers, kind, first, true, build, added));
  return {
    get enabled() {
      return entry?.enabled ?? false;
    },
    enable: () => enable(true),
    disable: () => enable(false),
    update: (changes = {}) => {
      if (!entry) throw invalid(`${placeOf(kind, given[member])} was removed. Register it again.`);
      checkMembers(kind, given[member], changes, added, ["handler"]);
      // Changes cannot remove the key or the handler.
      const { [member]: key = given[member], handler = given["handler"] } = changes;
      const next = { ...given, ...changes, [member]: key, handler };
      put(next, entryOf(offers, kind, next, entry.enabled, build, added));
    },
    remove: () => {
      if (entry) offers.remove(kind, given[member] as string);
      entry = undefined;
    },
  };
}

/** @throws {McpError} `invalid-definition` */
function checkMembers(
  kind: Kind,
  key: unknown,
  members: object,
  added: Added,
  more: readonly string[] = [],
): void {
  const { definition, own } = kinds[kind];
  checkDefinition(placeOf(kind, key), members, definition, [...own, ...Object.keys(added), ...more]);
}

/** @throws {McpError} `invalid-definition` */
function entryOf(
  offers: Offers,
  kind: Kind,
  given: Given,
  enabled: boolean,
  build: Build<Listed>,
  rules: Added,
): Listed {
  const key = given[keyMembers[kind]];
  if (typeof key !== "string" || key === "")
    throw invalid(`${kind}: expected a name, got ${JSON.stringify(key) ?? typeof key}.`);
  const place = placeOf(kind, key);
  requireHandler(place, given["handler"]);
  const members = Object.entries(given).filter(([, value]) => value !== undefined);
  const { scopes, replay, ...rest } = Object.fromEntries(
    members.filter(([name]) => !Object.hasOwn(rules, name)),
  );
  const added = members.filter(([name]) => Object.hasOwn(rules, name));
  if (scopes !== undefined && typeof scopes !== "function" && !isScopes(scopes))
    throw invalid(
      `${place}: scopes: expected a list such as ["files:read"], or a function, got ${JSON.stringify(scopes)}.`,
    );
  if (replay !== undefined && typeof replay !== "boolean")
    throw invalid(`${place}: replay: expected true or false, got ${JSON.stringify(replay)}.`);
  for (const [name, value] of added) {
    const expected = rules[name]!(value, `${place}: ${name}`);
    if (expected !== undefined)
      throw invalid(`${place}: ${name}: expected ${expected}, got ${JSON.stringify(value) ?? typeof value}.`);
  }
  for (const extension of offers.extensions) {
    const wrong = extension.wrongMember(kinds[kind].definition, rest);
    if (wrong !== undefined) throw invalid(`${place}: ${wrong}.`);
  }
  return {
    ...build(place, rest),
    ...(scopes !== undefined && { scopes }),
    ...(replay !== undefined && { replay }),
    ...(added.length > 0 && { added: Object.fromEntries(added) }),
    enabled,
  } as Listed;
}

function placeOf(kind: Kind, key: unknown): string {
  return `${kinds[kind].word} ${JSON.stringify(key)}`;
}

/**
 * The members that extensions add to definitions, with their rules.
 *
 * @throws {McpError} `invalid-definition`: two extensions have a member of the same name
 */
export function addedBy(
  extensions: readonly Pick<ExtensionUse, "definitions" | "extension">[],
): DefinitionRules {
  const all: { [kind: string]: { [member: string]: DefinitionRule } } = {};
  for (const { definitions = {}, extension } of extensions)
    for (const [kind, rules] of Object.entries(definitions)) {
      const members = (all[kind] ??= {});
      const taken = Object.keys(rules).find((name) => Object.hasOwn(members, name));
      if (taken !== undefined)
        throw invalid(
          `extension ${extension.id}: another extension has the member ${taken} of ${kind}, too. Use one of them.`,
        );
      Object.assign(members, rules);
    }
  return all;
}

/**
 * Gives tools of a contract the members that extensions add to definitions, such as `task`. Clients do not get these
 * members.
 *
 * @param options the options of the server
 * @param added the members by tool
 * @returns the server
 * @throws {McpError} `invalid-definition`: no extension has a member, a value is wrong, or there is no such tool
 */
export function addToTools(
  server: Server,
  { extensions = [] }: ServerOptions,
  added: { readonly [tool: string]: { readonly [member: string]: unknown } },
): Server {
  const { tools: rules = {} } = addedBy(extensions);
  const { entries } = server.features.tools;
  for (const [name, members] of Object.entries(added)) {
    const place = `tool ${JSON.stringify(name)}`;
    const entry = entries.get(name);
    if (!entry) throw invalid(`${place}: the contract has no such tool.`);
    for (const [member, value] of Object.entries(members)) {
      if (!Object.hasOwn(rules, member))
        throw invalid(
          `${place}: ${member}: none of the option extensions has this member. For task, add tasks() of @mcpgen/tasks.`,
        );
      const expected = rules[member]!(value, `${place}: ${member}`);
      if (expected !== undefined)
        throw invalid(`${place}: ${member}: expected ${expected}, got ${JSON.stringify(value)}.`);
    }
    entries.set(name, { ...entry, added: members });
  }
  // Capabilities may follow from the members.
  server.refresh();
  return server;
}
