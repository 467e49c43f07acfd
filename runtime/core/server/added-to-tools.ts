import { invalid } from "../options/option-check.js";
import { addedBy } from "./registration.js";
import type { Server, ServerOptions } from "./server.js";

/**
 * Gives tools of a contract the members that extensions have in definitions, such as `task`: they are no part of what
 * clients get.
 *
 * @param options those of the server
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
