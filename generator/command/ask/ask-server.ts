import type { LiveClient, LiveOptions, LiveProgress } from "../../contract/capture/runtime.js";
import type { ServerSource } from "../../contract/capture/server-source.js";
import { withServer } from "../../contract/capture/with-server.js";
import type { Arguments } from "../arguments.js";
import { type CommandContext, canAsk } from "../context.js";
import { expectReach, serverOptions } from "../server-options.js";
import { printable } from "../terminal-text.js";
import { UserQuestions } from "./questions.js";
import { RequestTimeout } from "./request-timeout.js";

/** What a command does with the client; the options are for its one long request. */
type Use<T> = (client: LiveClient, options: LiveOptions, listing: LiveOptions) => Promise<T>;

/**
 * Connects to a server and sends it a request, the progress of which is shown. What the server asks its user is answered
 * with `--answer`, or at the terminal.
 *
 * @throws CodedError as `withServer`, and MG6312 for answers that do not fit
 */
export async function askServer<T>(
  source: ServerSource,
  args: Arguments,
  context: CommandContext,
  use: Use<T>,
): Promise<T> {
  const options = serverOptions(args, context);
  expectReach(args, source);
  const listing = options.timeout === undefined ? {} : { timeout: options.timeout };
  const told = (progress: LiveProgress): void => context.console.note(progressText(progress));
  const asks = args.given("answer") || (canAsk(context) && !args.flag("decline"));
  if (!asks)
    return withServer(source, options, (client) => use(client, { ...listing, onProgress: told }, listing));
  const timeout = new RequestTimeout(options.timeout);
  const questions = new UserQuestions(source, args, context, timeout);
  const request: LiveOptions = {
    signal: timeout.signal,
    // The limit above ends it sooner, but not while somebody types.
    timeout: forms,
    totalTimeout: forms,
    onProgress: (progress) => {
      timeout.restart();
      told(progress);
    },
  };
  const result = await withServer(source, { ...options, questions }, (client) =>
    timeout.over(use(client, request, listing)),
  );
  questions.settle();
  return result;
}

/** Milliseconds that filling in forms may take in all: a day. */
const forms = 86_400_000;

function progressText({ progress, total, message }: LiveProgress): string {
  const done = total === undefined ? String(progress) : `${progress}/${total}`;
  return printable(message === undefined ? done : `${done} ${message}`);
}
