import { skills } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/server";
import { tasks } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import type { Params } from "@mcpgen/base";
import type { ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { HandlerContext } from "@mcpgen/runtime";

/**
 * Extensions whose tables a bridge needs to pass them on: names of their methods are names of methods of other revisions, requests have
 * headers, results have cache hints. What they do is left to the server. Other extensions pass without a table.
 */
const known = [skills, tasks] as const;

/** The options of a server that declares what others declare, and passes requests of extensions on. */
export function extensionsOf(
  { extensions = {}, ...capabilities }: ServerCapabilities,
  handler: (params: Params, context: HandlerContext) => Promise<Params>,
) {
  const used = known.filter(({ id }) => Object.hasOwn(extensions, id));
  const others = Object.entries(extensions).filter(([id]) => !used.some((each) => each.id === id));
  return {
    capabilities: {
      ...capabilities,
      ...(others.length > 0 && { extensions: Object.fromEntries(others) }),
    },
    extensions: used.map((extension) => {
      const methods = [...extension.bases.values()].flatMap(({ incomingRequests }) => [
        ...incomingRequests.keys(),
      ]);
      const handlers = Object.fromEntries(methods.map((method) => [method, handler]));
      return extension.implement(handlers as never, { settings: extensions[extension.id] } as never);
    }),
  };
}
