import type { Params } from "../jsonrpc/message.js";

/**
 * The params of a request, for the steps of its result: in the authoring vocabulary, with the members that only the
 * message has. A step to a newer revision may read what the vocabulary does not describe.
 */
export function requestParams(
  message: Params | undefined,
  vocabulary: Params | undefined,
): Params | undefined {
  if (!message || !vocabulary || message === vocabulary) return vocabulary;
  return { ...message, ...vocabulary };
}
