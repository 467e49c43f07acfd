import type { LiveClient } from "../../capture/runtime.js";
import type { ServerSource } from "../../capture/server-source.js";
import { withServer } from "../../capture/with-server.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { expectReach, serverOptions } from "../server-options.js";
import type { ServerTasks } from "./server-tasks.js";

/**
 * Connects to a server that has tasks.
 *
 * @throws CodedError as `withServer`, and MG6324 for a server without tasks
 */
export function withTasks<T>(
  source: ServerSource,
  tasks: ServerTasks,
  args: Arguments,
  context: CommandContext,
  use: (client: LiveClient) => Promise<T>,
): Promise<T> {
  expectReach(args, source);
  const options = { ...serverOptions(args, context), extensions: tasks.live.extensions };
  return withServer(source, options, (client) => {
    tasks.expectOffered(client);
    return use(client);
  });
}
