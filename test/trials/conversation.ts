// A program: a server of all revisions of a workspace, and a client of each that uses everything there is.
// It prints what each saw, what was said on the wire, and what was reported as lost.
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type Client, type Loss, type McpError, connect, memoryChannels } from "@mcpgen/runtime";
import { Recording } from "@mcpgen/runtime/testing";
import { everyFeature } from "../support/every-feature/server.js";
import { answers, stops } from "../support/every-feature/tour.js";
import { writtenIn } from "./words.js";

/** What a client of one revision saw. */
export interface Conversation {
  readonly revision: string;
  /** What each stop of the tour brought, or the error of that stop. */
  readonly brought: Readonly<Record<string, unknown>>;
  readonly failed: readonly string[];
  /** Messages in order. */
  readonly session: readonly { readonly from: "client" | "server"; readonly text: string }[];
  readonly losses: readonly (Loss & { readonly at: "client" | "server" })[];
}

/** The revision in whose words the server is written, if it is not the newest. */
const [, , words] = process.argv;

const losses: (Loss & { at: "client" | "server" })[] = [];

const quiet = { onWarning: () => {}, onError: () => {}, validateSend: "off" } as const;

async function converse(revision: string): Promise<Conversation> {
  losses.length = 0;
  const server = everyFeature(
    serverRevisions,
    { ...quiet, onLoss: (loss) => losses.push({ ...loss, at: "server" }) },
    words === undefined ? undefined : writtenIn(words),
  );
  const [near, far] = memoryChannels();
  server.connect(far);
  const wire = new Recording();
  const brought: Record<string, unknown> = {};
  const failed: string[] = [];
  let client: Client | undefined;
  try {
    client = await connect(wire.of(near, "client"), {
      revisions: clientRevisions,
      revision,
      ...answers,
      ...quiet,
      onLoss: (loss: Loss) => losses.push({ ...loss, at: "client" }),
    });
    for (const stop of stops) {
      try {
        Object.assign(brought, await stop(client));
      } catch (error) {
        failed.push(errorText(error));
      }
    }
  } catch (error) {
    failed.push(`connect: ${errorText(error)}`);
  }
  await client?.close();
  await far.close();
  const session = wire.session.map(({ from, text }) => ({ from, text }));
  return { revision, brought, failed, session, losses: [...losses] };
}

function errorText(error: unknown): string {
  const { code, message } = error as McpError;
  return `${code}: ${message}`;
}

const conversations: Conversation[] = [];
for (const { id } of clientRevisions) conversations.push(await converse(id));
process.stdout.write(JSON.stringify(conversations));
