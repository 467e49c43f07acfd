import { naturalCompare } from "@mcpgen/engine";
import type { Call, Conversation, Lost } from "./plan.js";

/** How peers of one revision, and applications in the words of the vocabulary, understand each other. */
export interface Understanding {
  readonly revision: string;
  /** Its client at a server of the vocabulary. */
  readonly client: Served;
  /** Its server with a client of the vocabulary. */
  readonly server: Served;
}

/** The calls of one conversation. */
export interface Served {
  /** Calls of methods that both have, with samples that each side understands among its own. */
  readonly made: number;
  readonly served: number;
  readonly refused: readonly Refused[];
  readonly losses: readonly CountedLoss[];
  /** Messages that are not what their revision describes. */
  readonly invalid: readonly string[];
  /** Calls that were served before the revision came. */
  readonly noLonger: readonly Refused[];
}

export interface Refused {
  readonly call: string;
  readonly why: string;
}

export interface CountedLoss extends Lost {
  readonly count: number;
}

/**
 * @param before the conversations without the new revision; empty where there was no other
 * @param after those with it
 */
export function understandings(
  before: readonly Conversation[],
  after: readonly Conversation[],
  vocabulary: string,
): Understanding[] {
  const revisions = [...new Set(after.map(({ revision }) => revision))].sort(naturalCompare);
  const servedBefore = (revision: string, pinned: Conversation["pinned"]): Conversation | undefined =>
    before.find((each) => each.revision === revision && each.pinned === pinned);
  return revisions.map((revision) => {
    const of = (pinned: "client" | "server"): Served =>
      served(revision, pinned, after, vocabulary, servedBefore(revision, pinned));
    return { revision, client: of("server"), server: of("client") };
  });
}

function served(
  revision: string,
  pinned: "client" | "server",
  all: readonly Conversation[],
  vocabulary: string,
  before: Conversation | undefined,
): Served {
  const find = (of: string, side: Conversation["pinned"]): Conversation =>
    all.find((each) => each.revision === of && each.pinned === side)!;
  const { calls, losses, invalid } = find(revision, pinned);
  // Samples that not even peers of one revision understand say nothing about two.
  const own = find(revision, "both");
  const words = find(vocabulary, "both");
  const misunderstood = new Set([...own.calls, ...words.calls].filter(isRefused).map(({ name }) => name));
  const made = calls.filter(({ name }) => !misunderstood.has(name));
  const notServed = made.filter(isRefused);
  // Without a conversation there is nothing but the reason why.
  const refused = (made.length > 0 ? notServed : calls.filter(isRefused)).map(refusal);
  const earlier = new Set(before?.calls.filter((call) => !isRefused(call)).map(({ name }) => name));
  const wrongBefore = new Set([...(before?.invalid ?? []), ...own.invalid]);
  return {
    made: made.length,
    served: made.length - notServed.length,
    refused,
    losses: counted(losses),
    invalid: [...new Set(invalid)].filter((text) => !wrongBefore.has(text)),
    noLonger: calls.filter((call) => isRefused(call) && earlier.has(call.name)).map(refusal),
  };
}

function isRefused({ refused }: Call): boolean {
  return refused !== undefined;
}

function refusal({ name, refused = "" }: Call): Refused {
  return { call: name, why: refused };
}

function counted(losses: readonly Lost[]): CountedLoss[] {
  const counts = new Map<string, CountedLoss>();
  for (const { method, pointer, how } of losses) {
    // Places in lists count as one.
    const place = pointer.replace(/\/\d+(?=\/|$)/g, "/*");
    const key = `${method} ${place} ${how}`;
    counts.set(key, { method, pointer: place, how, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}
