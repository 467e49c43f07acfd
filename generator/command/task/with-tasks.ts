import type { LiveClient } from "../../capture/runtime.js";
import type { ServerSource } from "../../capture/server-source.js";
import { type Questions, withServer } from "../../capture/with-server.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { expectReach, serverOptions } from "../server-options.js";
import type { ServerTasks } from "./server-tasks.js";

/**
 * Up to 2025-06-18 a task asks whichever client is connected. A command that only looks at tasks does not decline for the
 * user: the server asks the next one, `task result`.
 */
const unanswered: Questions = {
  elicit: () => new Promise(() => {}),
  elicitUrl: () => new Promise(() => {}),
};

/**
 * Connects to a server that has tasks. What the server asks meanwhile is left open.
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
  expectReach(args, source, context.directory);
  const options = {
    ...serverOptions(args, context),
    extensions: tasks.live.extensions,
    questions: unanswered,
  };
  return withServer(source, options, (client) => {
    tasks.expectOffered(client);
    return use(client);
  });
}
