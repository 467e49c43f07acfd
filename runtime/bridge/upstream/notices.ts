import { attempts, growing, type platform } from "@mcpgen/base";
import type { ChangeNotice, Client, SubscriptionRequest } from "@mcpgen/runtime";

/** Milliseconds of the pauses before a subscription is made again. */
const pauses = { first: 500, most: 30_000 };

/**
 * Subscribes to changes, and passes them on until the signal aborts: also after the server ended the subscription, or was away. Then
 * all that may have changed is passed on once.
 *
 * @returns the part that the server accepted first
 */
export async function follow(
  clientOf: () => Promise<Client>,
  wanted: SubscriptionRequest,
  signal: platform.AbortSignal,
  deliver: (notice: ChangeNotice) => void,
): Promise<SubscriptionRequest> {
  const first = await (await clientOf()).subscribe(wanted);
  let current = first;
  const leave = (): void => void current.close().catch(() => undefined);
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  const pass = async (): Promise<void> => {
    for (;;) {
      try {
        for await (const notice of current) deliver(notice);
      } catch {
        // The server is away.
      }
      for await (const _ of attempts({ pauses: growing(pauses), waitsFirst: true, signal })) {
        try {
          current = await (await clientOf()).subscribe(wanted);
          break;
        } catch {
          // The next attempt follows.
        }
      }
      if (signal.aborted) return leave();
      for (const notice of possible(current.honoured)) deliver(notice);
    }
  };
  // A pause ends with the signal.
  pass().catch(() => undefined);
  return first.honoured;
}

/** A notice for each part of a subscription. */
function possible({ uris = [], ...lists }: SubscriptionRequest): ChangeNotice[] {
  const kinds = Object.entries(lists).filter(([, isWanted]) => isWanted);
  return [
    ...kinds.map(([kind]) => ({ method: `notifications/${kind}/list_changed` })),
    ...uris.map((uri) => ({ method: "notifications/resources/updated", uri })),
  ];
}
