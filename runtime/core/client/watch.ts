import type { McpError } from "../peer/errors.js";
import type { Client } from "./client.js";
import type { Connection } from "./connections.js";
import type { Link } from "./link.js";
import {
  type Attachment,
  type ChangeNotice,
  type ListKind,
  type SubscriptionRequest,
  listKinds,
} from "./subscriptions.js";

/** How many subscriptions of a connection watch each URI: the server knows of one. */
const watchers = new WeakMap<Link, Map<string, number>>();

/** Counts one watcher of a URI more, or less. Returns how many there are. */
function count(link: Link, uri: string, change: 1 | -1): number {
  const counts = watchers.get(link) ?? new Map<string, number>();
  watchers.set(link, counts);
  const now = (counts.get(uri) ?? 0) + change;
  counts.set(uri, now);
  return now;
}

/** Subscribes as before 2026-07-28: resources are watched one by one, and lists are told of without being asked. */
export async function watch(
  client: Client,
  { link, agreement }: Connection,
  wanted: SubscriptionRequest,
  push: (notice: ChangeNotice) => void,
): Promise<Attachment> {
  const { spoken, capabilities } = agreement;
  const kinds = listKinds.filter((kind) => wanted[kind] && capabilities[kind]?.listChanged);
  const uris = capabilities.resources?.subscribe ? (wanted.uris ?? []) : [];
  const watched: string[] = [];
  let settle: (why: McpError | undefined) => void = () => {};
  const over = new Promise<McpError | undefined>((resolve) => (settle = resolve));
  const off = hear(client, kinds, uris, push);
  const forget = link.whenClosed((why) => {
    off();
    settle(why);
  });
  const detach = async (): Promise<void> => {
    off();
    forget();
    settle(undefined);
    if (!spoken.table.outgoingRequests.has("resources/unsubscribe")) return;
    // A server that is gone watches nothing any more; another one never did.
    while (watched.length > 0 && !link.over) {
      const uri = watched.pop()!;
      if (count(link, uri, -1) === 0) await client.request("resources/unsubscribe", { uri });
    }
  };
  try {
    for (const uri of uris) {
      await client.request("resources/subscribe", { uri });
      count(link, uri, 1);
      watched.push(uri);
    }
    if (link.over) throw link.over;
  } catch (error) {
    await detach().catch(() => undefined);
    throw error;
  }
  const honoured = {
    ...Object.fromEntries(kinds.map((kind) => [kind, true])),
    ...(uris.length > 0 ? { uris } : {}),
  };
  return { honoured, over, detach };
}

/** Passes on what is told of. Returns what ends it. */
function hear(
  client: Client,
  kinds: readonly ListKind[],
  uris: readonly string[],
  push: (notice: ChangeNotice) => void,
): () => void {
  const watched = new Set(uris);
  const offs = kinds.map((kind) =>
    client.on(`notifications/${kind}/list_changed`, (_, method) => push({ method })),
  );
  offs.push(
    client.on("notifications/resources/updated", ({ uri }, method) => {
      if (watched.has(uri as string)) push({ method, uri: uri as string });
    }),
  );
  return () => offs.forEach((off) => off());
}
