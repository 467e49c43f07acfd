import { summary } from "../protocol/spoken.js";
import { McpError, invalidParams } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import type { Ask } from "./ask.js";
import { askWith } from "./ask-with.js";
import type { RequestContext } from "./context.js";
import { type Asked, type Rounds, newRounds } from "./rounds.js";

/** What an ask rejects with that has no answer yet: the handler runs again when there is one. */
export class Suspended extends Error {
  override readonly name = "Suspended";

  constructor() {
    super("waiting for input from the client; the handler runs again when it has come");
  }
}

/** Whether what was thrown says that the handler waits. Never throws: a proxy may refuse the question. */
export function isSuspended(thrown: unknown): boolean {
  try {
    return thrown instanceof Suspended;
  } catch {
    return false;
  }
}

/** Asks by results that ask for input (2026-07-28, multi round-trip requests). */
export function askInRounds(context: RequestContext): Ask {
  const rounds = (context.rounds ??= newRounds());
  return askWith(context, (key, asked) => answerOf(context, rounds, key, asked));
}

async function answerOf(context: RequestContext, rounds: Rounds, key: string, asked: Asked): Promise<Params> {
  if (!context.entry.multiRoundTrip)
    throw new McpError(
      "missing-capability",
      `${context.request.method} is never answered with a request for input`,
    );
  const { spoken } = context.terms;
  const answer = rounds.answers.get(key);
  if (answer === undefined) {
    rounds.wanted.set(key, lowered(context, asked));
    // Asks of the same turn are to join the round before the handler learns that it has to wait.
    await Promise.resolve();
    throw new Suspended();
  }
  const result = spoken.table.outgoingRequests.get(asked.method)?.result;
  if (result?.accepts(answer)) return spoken.lift("incomingResults", asked.method, answer);
  const issues = result ? await spoken.issues(answer, result) : [];
  throw invalidParams(
    `inputResponses: the answer to ${JSON.stringify(key)} is not one to ${asked.method}: ${summary(issues, "wrong shape")}`,
  );
}

function lowered({ terms: { spoken } }: RequestContext, { method, params }: Asked): Asked {
  return params ? { method, params: spoken.lower("outgoingRequests", method, params) } : { method };
}
