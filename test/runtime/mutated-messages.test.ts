// Strangers send messages that differ from good ones in one place. The other side reports an error with a code, or reads a
// valid message; and works on.
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type Channel, type Client, type Receiver, McpError, connect, memoryChannels } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases, seed } from "../support/cases.mjs";
import { everyFeature } from "../support/every-feature/server.js";
import { answers } from "../support/every-feature/tour.js";
import { heard } from "../support/heard.mjs";
import { mutationsOf, strangeTexts } from "../support/mutations.mjs";
import { uncaughtErrors } from "../support/uncaught.js";

const revisions = clientRevisions.map(({ id }) => id);

/**
 * The actions of clients. They read results by their types; a member of another type makes them fail without a code.
 */
const uses: { readonly [name: string]: (client: Client) => Promise<unknown> } = {
  connect: () => Promise.resolve(),
  tools: async (client) =>
    (await client.listTools()).items.map((tool) => [
      tool.name.toUpperCase(),
      Object.keys(tool.inputSchema),
      tool.title?.trim(),
      tool.icons?.map(({ src }) => src.trim()),
    ]),
  add: async (client) => {
    const { content, structuredContent } = await client.callTool("add", { a: 2, b: 3 });
    return [content.map(({ type }) => type.trim()), Object.keys(structuredContent ?? {})];
  },
  media: async (client) =>
    (await client.callTool("media")).content.map((block) =>
      block.type === "resource"
        ? block.resource.uri.trim()
        : block.type === "resource_link"
          ? block.name.trim()
          : block.type === "text"
            ? block.text.trim()
            : block.type === "image" || block.type === "audio"
              ? block.mimeType.trim()
              : undefined,
    ),
  fail: (client) => client.callTool("fail"),
  work: async (client) => {
    const off = client.on("notifications/message", ({ level }) => void (level as string).trim());
    const onProgress = ({ progress, message }: { progress: number; message?: string }): void =>
      void [progress.toFixed(), message?.trim()];
    await client.callTool("work", {}, { onProgress }).finally(off);
  },
  greet: (client) => client.callTool("greet"),
  choose: (client) => client.callTool("choose"),
  gather: (client) => client.callTool("gather"),
  visit: (client) => client.callTool("visit"),
  summarise: (client) => client.callTool("summarise"),
  folders: (client) => client.callTool("folders"),
  resources: async (client) =>
    (await client.listResources()).items.map(({ uri, name }) => [uri.trim(), name.trim()]),
  templates: async (client) =>
    (await client.listResourceTemplates()).items.map(({ uriTemplate }) => uriTemplate.trim()),
  read: async (client) =>
    (await client.readResource("note://one")).contents.map((each) =>
      "text" in each ? each.text.trim() : each,
    ),
  prompts: async (client) =>
    (await client.listPrompts()).items.map((prompt) => prompt.arguments?.map(({ name }) => name.trim())),
  prompt: async (client) =>
    (await client.getPrompt("write", { topic: "tides" })).messages.map(({ role, content }) => [
      role.trim(),
      content.type.trim(),
    ]),
  complete: async (client) =>
    (
      await client.complete({
        ref: { type: "ref/prompt", name: "write" },
        argument: { name: "topic", value: "ti" },
      })
    ).completion.values.map((value) => value.trim()),
  level: (client) => client.setLogLevel("warning"),
  changes: async (client) => {
    const subscription = await client.subscribe({ tools: true, uris: ["note://one"] });
    await client.callTool("change");
    // A server that accepted nothing sends nothing, for ever.
    const isHonoured = Object.values(subscription.honoured).some(Boolean);
    if (isHonoured)
      for await (const { method } of subscription) {
        method.trim();
        break;
      }
    await subscription.close();
  },
};

/** Returns the text that a receiver gets instead of a sent one. */
type Change = (text: string) => string;

/** A channel whose side gets other texts than were sent. */
function changed(channel: Channel, change: Change): Channel {
  return {
    open: (receiver: Receiver) =>
      channel.open({
        message: (text) => receiver.message(change(text)),
        turn: () => receiver.turn(),
        tooLong: (limit) => receiver.tooLong(limit),
        closed: (reason) => receiver.closed(reason),
      }),
    send: (text, origin) => channel.send(text, origin),
    flush: () => channel.flush(),
    close: () => channel.close(),
  };
}

type Side = "client" | "server";

interface Ran {
  /** The texts that the side got, as they were sent. */
  readonly sent: readonly string[];
  /** The thrown error, with or without a code. */
  readonly failed?: unknown;
  /** Errors that the other side or this side's program reported. */
  readonly reported: readonly unknown[];
  /** The result of another request. */
  readonly next: unknown;
  /** All texts that the server sent. */
  readonly answers: readonly string[];
}

/** Uses a server; `side` gets the text at `place` changed. */
async function run(
  revision: string,
  use: string,
  side: Side,
  place = -1,
  change: Change = (text) => text,
): Promise<Ran> {
  const clock = new VirtualClock();
  const reported: unknown[] = [];
  const handlerError = (error: unknown): void => void reported.push(error);
  const [near, far] = memoryChannels();
  const sent: string[] = [];
  const answered: string[] = [];
  let isOver = false;
  const replace = (text: string): string => (!isOver && sent.push(text) - 1 === place ? change(text) : text);
  const server = everyFeature(serverRevisions, { clock, onEvent: heard({ handlerError }) });
  server.connect(side === "server" ? changed(far, replace) : far);
  const own = changed(near, (text) => {
    answered.push(text);
    return side === "client" ? replace(text) : text;
  });
  let client: Client | undefined;
  const using = (async () => {
    client = await connect(own, {
      revisions: clientRevisions,
      revision,
      ...answers,
      clock,
      onEvent: heard({ warning: () => {}, handlerError }),
    });
    await uses[use]!(client);
  })().then(
    () => undefined,
    (error: unknown) => error ?? "nothing",
  );
  const failed = await within(clock, using, `${use} at ${revision}`);
  isOver = true;
  const next = client && (await within(clock, again(client), `a request after ${use} at ${revision}`));
  await client?.close();
  await far.close();
  return { sent, failed, reported, next, answers: answered };
}

const again = (client: Client): Promise<unknown> =>
  client.callTool("add", { a: 20, b: 3 }).then(
    ({ content }) => content,
    (error: unknown) => error,
  );

/** Time passes only if nothing else happens. */
async function within<T>(clock: VirtualClock, work: Promise<T>, what: string): Promise<T> {
  const progress = { isOver: false };
  const over = (): void => void (progress.isOver = true);
  work.then(over, over);
  for (let turn = 0; turn < 200 && !progress.isOver; turn++) {
    for (let wait = 0; wait < 20 && !progress.isOver; wait++) await new Promise(setImmediate);
    if (!progress.isOver) await clock.advance(61_000);
  }
  if (!progress.isOver) throw new Error(`${what} never ends`);
  return work;
}

interface Case {
  readonly use: string;
  readonly place: number;
  readonly what: string;
  /**
   * Applies the mutation to the message of this connection, whose ids, times and sealed states differ from those of
   * other connections.
   */
  readonly change: Change;
}

const mutated = (text: string, index: number): string =>
  JSON.stringify([...mutationsOf(JSON.parse(text))][index]?.[1] ?? null);

/** All messages that the side may get in place of those that it gets. */
async function casesOf(revision: string, side: Side): Promise<Case[]> {
  const found: Case[] = [];
  let begun = 0;
  for (const use of Object.keys(uses)) {
    const { sent } = await run(revision, use, side);
    if (use === "connect") begun = sent.length;
    for (const [place, text] of sent.entries()) {
      // All uses begin in the same way.
      if (use !== "connect" && place < begun) continue;
      const at = `${use}, message ${place}: `;
      for (const [index, [what]] of [...mutationsOf(JSON.parse(text))].entries())
        found.push({ use, place, what: at + what, change: (own) => mutated(own, index) });
      for (const strange of strangeTexts)
        found.push({ use, place, what: at + JSON.stringify(strange.slice(0, 20)), change: () => strange });
    }
  }
  return found;
}

const isCoded = (error: unknown): boolean => error instanceof McpError && /^[a-z-]+$/.test(error.code);

/** Yields the faults of the behaviour after a mutated message. */
function* problemsOf(side: Side, { failed, reported, next, answers: texts }: Ran): Generator<unknown> {
  if (failed !== undefined && !isCoded(failed)) yield failed;
  for (const error of reported) if (!isCoded(error) && !/always fails/.test(String(error))) yield error;
  // The server may offer less after the message, but it must still answer.
  if (next instanceof Error && (!isCoded(next) || (next as McpError).code === "timeout")) yield next;
  if (side === "client") return;
  for (const text of texts) {
    const { error } = JSON.parse(text) as { readonly error?: { readonly code: unknown } };
    if (error && (!Number.isInteger(error.code) || error.code === -32603)) yield text;
  }
}

test.each(
  revisions.flatMap(
    (revision) =>
      [
        [revision, "client"],
        [revision, "server"],
      ] as const,
  ),
)("at %s, a %s gets messages that differ in one place from good ones", async (revision, side) => {
  const uncaught = uncaughtErrors();
  const all = await casesOf(revision, side);
  expect(all.length).toBeGreaterThan(1000);
  const drawn = fc.sample(fc.constantFrom(...all), { seed, numRuns: cases(all.length, 20) });
  const wrong: unknown[] = [];
  let refusals = 0;
  for (const { use, place, what, change } of drawn) {
    const ran = await run(revision, use, side, place, change).catch((error: unknown) => {
      throw new Error(what, { cause: error });
    });
    if (ran.failed !== undefined) refusals++;
    for (const problem of problemsOf(side, ran)) wrong.push([what, problem]);
    for (const error of uncaught.splice(0)) wrong.push([what, error]);
  }
  expect(wrong).toEqual([]);
  expect(refusals).toBeGreaterThan(2);
});
