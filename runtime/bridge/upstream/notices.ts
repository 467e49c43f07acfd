import { attempts, growing, type platform, withTimeout } from "@mcpgen/base";
import type { ChangeNotice, Client, Subscription, SubscriptionRequest } from "@mcpgen/runtime";

/** Milliseconds of the pauses before a subscription is made again. */
const pauses = { first: 500, most: 30_000 };

/** Milliseconds in which a server must answer where others are waiting with it. */
export const listMs = 5000;

/** Changes at one server that a client of the bridge wants to know of. */
export interface Followed {
  /** Connects to the server, if it is not connected. */
  readonly clientOf: () => Promise<Client>;
  /** Lists without changes at the server are left out. */
  readonly wanted: SubscriptionRequest;
  readonly deliver: (notice: ChangeNotice) => void;
  readonly signal: platform.AbortSignal;
  /**
   * Where the server is one of several: whether its entries have been left out of a list until it was reached. Otherwise it must be
   * reached at once.
   */
  readonly isLate?: (() => boolean) | undefined;
}

/**
 * Subscribes to changes, and passes them on until the signal aborts: also after the server ended the subscription, or was away. Then
 * all that may have changed is passed on once.
 *
 * @returns the part that the server accepted first; none if it was not reached in time. Without `isLate`, rejects then
 */
export async function follow(followed: Followed): Promise<SubscriptionRequest> {
  const { clientOf, wanted, deliver, signal, isLate } = followed;
  let current: Subscription | undefined;
  const subscribe = async (): Promise<SubscriptionRequest> => {
    const client = await clientOf();
    const changing = changingOf(client, wanted);
    current = Object.keys(changing).length > 0 ? await client.subscribe(changing) : undefined;
    return current?.honoured ?? {};
  };
  const again = async (): Promise<SubscriptionRequest | undefined> => {
    for await (const _ of attempts({ pauses: growing(pauses), waitsFirst: true, signal })) {
      try {
        return await subscribe();
      } catch {
        // The next attempt follows.
      }
    }
    return undefined;
  };
  const leave = (): void => void current?.close().catch(() => undefined);
  signal.addEventListener("abort", leave);
  const first = subscribe();
  if (!isLate) await first;
  const pass = async (): Promise<void> => {
    let isMissed = isLate ?? (() => false);
    let honoured = await first.catch(() => undefined);
    for (; !signal.aborted; honoured = await again()) {
      if (honoured && isMissed()) for (const notice of possible(isLate ? wanted : honoured)) deliver(notice);
      if (honoured && !current) return;
      isMissed = () => true;
      try {
        for await (const notice of current ?? []) deliver(notice);
      } catch {
        // The server is away.
      }
    }
    leave();
  };
  // A pause ends with the signal.
  pass().catch(() => undefined);
  return isLate ? ((await withTimeout(listMs, first).catch(() => undefined)) ?? {}) : first;
}

function changingOf({ serverCapabilities }: Client, wanted: SubscriptionRequest): SubscriptionRequest {
  const { tools, prompts, resources } = serverCapabilities;
  const lists: { readonly [list: string]: { listChanged?: boolean } | undefined } = {
    tools,
    prompts,
    resources,
  };
  const changing = Object.entries(wanted).filter(
    ([list, isWanted]) => isWanted && (!Object.hasOwn(lists, list) || lists[list]?.listChanged),
  );
  return Object.fromEntries(changing);
}

/** A notice for each part of a subscription. */
function possible({ uris = [], tools, prompts, resources }: SubscriptionRequest): ChangeNotice[] {
  const kinds = Object.entries({ tools, prompts, resources }).filter(([, isWanted]) => isWanted);
  return [
    ...kinds.map(([kind]) => ({ method: `notifications/${kind}/list_changed` })),
    ...uris.map((uri) => ({ method: "notifications/resources/updated", uri })),
  ];
}
