// A conversation of a server with a client that uses every feature: the results of the client, the messages on the
// wire, and the reported losses.
import type { Revision } from "@mcpgen/protocol/model";
import { type Client, type Loss, type McpError, connect, memoryChannels } from "@mcpgen/runtime";
import { Recording } from "@mcpgen/testing";
import { everyFeature } from "../support/every-feature/server.js";
import { answers, stops } from "../support/every-feature/tour.js";
import { heard } from "../support/heard.mjs";
import { writtenIn } from "./words.js";

/** The revisions that each side speaks. */
export interface Tables {
  readonly server: readonly Revision<"server">[];
  readonly client: readonly Revision<"client">[];
}

/** The results of a client of one revision. */
export interface Conversation {
  readonly revision: string;
  /** The result of each stop of the tour, or its error. */
  readonly brought: Readonly<Record<string, unknown>>;
  readonly failed: readonly string[];
  /** The description of each peer, as the other one gets it. */
  readonly met: { server?: unknown; client?: unknown };
  /** Messages in order. */
  readonly session: readonly { readonly from: "client" | "server"; readonly text: string }[];
  readonly losses: readonly (Loss & { readonly at: "client" | "server" })[];
}

/** How a conversation is held. */
export interface Manner {
  /** The revision that the client asks for; without it, the newest of both. */
  readonly revision?: string;
  /** The revision whose names the server uses, if it is not the newest. */
  readonly words?: string | undefined;
  /** Milliseconds after which a stop of the tour ends that waits in vain. */
  readonly longestStop?: number;
}

const unchecked = { validation: { send: "off" } } as const;

/** Plays a conversation, with nothing checked before it is sent, as in production. */
export async function converse(
  tables: Tables,
  { revision, words, longestStop = 60_000 }: Manner = {},
): Promise<Conversation> {
  const losses: (Loss & { at: "client" | "server" })[] = [];
  const server = everyFeature(
    tables.server,
    { ...unchecked, onEvent: heard({ loss: (loss) => losses.push({ ...loss, at: "server" }) }) },
    words === undefined ? undefined : writtenIn(words),
  );
  const met: { server?: unknown; client?: unknown } = {};
  server.use((request, next) => {
    if (request.direction === "incoming") met.client = request.context.clientInfo;
    return next(request.params);
  });
  const [near, far] = memoryChannels();
  server.connect(far);
  const wire = new Recording();
  const brought: Record<string, unknown> = {};
  const failed: string[] = [];
  let client: Client | undefined;
  try {
    client = await connect(wire.of(near, "client"), {
      revisions: tables.client,
      ...(revision !== undefined && { revision }),
      ...answers,
      ...unchecked,
      onEvent: heard({ loss: (loss: Loss) => losses.push({ ...loss, at: "client" }) }),
    });
    met.server = client.serverInfo;
    for (const stop of stops) {
      try {
        Object.assign(brought, await inTime(stop(client), longestStop));
      } catch (error) {
        failed.push(errorText(error));
      }
    }
  } catch (error) {
    failed.push(`connect: ${errorText(error)}`);
  }
  const negotiated = client?.revision ?? revision ?? "none";
  await client?.close();
  await far.close();
  const session = wire.session.map(({ from, text }) => ({ from, text }));
  return { revision: negotiated, brought, failed, met, session, losses };
}

async function inTime<T>(promise: Promise<T>, longest: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("nothing came")), longest);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function errorText(error: unknown): string {
  const { code, message } = error as McpError;
  return `${code}: ${message}`;
}
