import type { LiveClient, LiveOptions, LiveProgress } from "../../capture/runtime.js";
import type { ServerSource } from "../../capture/server-source.js";
import { withServer } from "../../capture/with-server.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { canAsk } from "../terminal.js";
import type { ServerTasks } from "../task/server-tasks.js";
import { expectReach, serverOptions } from "../server-options.js";
import { printable } from "../../print/terminal-text.js";
import { UserQuestions, decliningQuestions } from "./questions.js";
import { RequestTimeout } from "./request-timeout.js";

/** The command's work with the client. `options` are for its request, `listing` for the lists that it reads first. */
type Use<T> = (client: LiveClient, options: LiveOptions, listing: LiveOptions) => Promise<T>;

/**
 * Connects to a server and sends it a request, the progress of which is shown. Questions of the server to its user are
 * answered with `--answer`, or at the terminal.
 *
 * @param tasks of the server, where the request may become one
 *
 * @throws CodedError as `withServer`, and MG6312 for answers that do not fit
 */
export async function askServer<T>(
  source: ServerSource,
  args: Arguments,
  context: CommandContext,
  use: Use<T>,
  tasks?: ServerTasks,
): Promise<T> {
  const options = { ...serverOptions(args, context), extensions: tasks?.live.extensions };
  expectReach(args, source, context.directory);
  const listing = options.timeout === undefined ? {} : { timeout: options.timeout };
  const showProgress = (progress: LiveProgress): void => context.console.note(progressText(progress));
  const asks = args.given("answer") || (canAsk(context) && !args.flag("decline"));
  if (!asks)
    return withServer(
      source,
      { ...options, questions: decliningQuestions(args.flag("decline"), context) },
      (client) => use(client, { ...listing, onProgress: showProgress }, listing),
    );
  const timeout = new RequestTimeout(options.timeout);
  if (tasks) tasks.onWait = () => timeout.off();
  const questions = new UserQuestions(source, args, context, timeout);
  const request: LiveOptions = {
    signal: timeout.signal,
    // `RequestTimeout` ends the request sooner, except while the user types.
    timeout: forms,
    totalTimeout: forms,
    onProgress: (progress) => {
      timeout.restart();
      showProgress(progress);
    },
  };
  const result = await withServer(source, { ...options, questions }, (client) =>
    timeout.over(use(client, request, listing)),
  );
  questions.settle();
  return result;
}

/** Milliseconds that a request may take while the user answers questions: a day. */
const forms = 86_400_000;

function progressText({ progress, total, message }: LiveProgress): string {
  const done = total === undefined ? String(progress) : `${progress}/${total}`;
  return printable(message === undefined ? done : `${done} ${message}`);
}
