import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import {
  clientRevisions as publishedForClients,
  serverRevisions as publishedForServers,
} from "@mcpgen/protocol";
import type { Revision, Role } from "@mcpgen/protocol/model";
import { type CodeFirstServer, type ConnectOptions, type Loss, connect, createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { createTestPair } from "@mcpgen/testing";
import { everyFeature } from "../../../support/every-feature/server.js";
import { expectedTour } from "../../../support/every-feature/expected.js";
import { type Tour, answers, tour } from "../../../support/every-feature/tour.js";
import { failureOf } from "../../../support/failure-of.js";
import { heard } from "../../../support/heard.mjs";
import { type NextProtocol, filesWithNext, newest, next, withNext } from "./next-revision.js";
import { pinnedAt } from "../../../support/pinned-revisions.js";
import { revisions } from "../../../support/revisions.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";

// A revision that no code knows is served above the pinned vocabulary: handlers and clients keep the words of `newest`.

let protocol: NextProtocol;

beforeAll(async () => {
  protocol = await withNext({ vocabulary: newest });
});

const checked = { validation: { send: "always" } } as const;

const only = <R extends Role>(
  all: readonly Revision<R>[],
  ...ids: readonly string[]
): readonly Revision<R>[] => all.filter(({ id }) => ids.includes(id));

/** What the tour brings at `next`, which has no block for audio. */
const tourAtNext: Tour = {
  ...expectedTour(next),
  kinds: ["text", "image", "text", "resource", "resource_link"],
  shown: ["text", "resource_link"],
};

/** The messages of a tour, without what is random in them. */
async function recorded(
  server: CodeFirstServer,
  options: Pick<ConnectOptions, "revisions" | "revision">,
): Promise<readonly string[]> {
  const { client, wire, close } = await createTestPair({ server, ...options, ...answers });
  expect(await tour(client)).toEqual(expectedTour(options.revision!));
  await close();
  return wire.session.map(
    ({ from, text }) => `${from} ${text.replace(/("(?:requestState|elicitationId)":)"[^"]*"/g, '$1"…"')}`,
  );
}

test("only the revision above the vocabulary has peer steps", () => {
  for (const list of [protocol.serverRevisions, protocol.clientRevisions]) {
    const above = list.filter(({ peerSteps }) => peerSteps).map(({ id }) => id);
    expect(above).toEqual([next]);
    const { older, newer } = list.at(-1)!.peerSteps!;
    expect([older, newer]).toEqual([newest, next]);
  }
});

test("only the revision above the vocabulary has exact definitions in production", async () => {
  const files = await filesWithNext({ vocabulary: newest });
  for (const role of ["client", "server"]) {
    const [pinned, above] = [newest, next].map((revision) => files.get(`${revision}/${role}.ts`)!);
    expect([pinned, above].map((text) => /^ {2}sends: /m.test(text!))).toEqual([false, true]);
    expect([pinned, above].map((text) => text!.includes("developmentSends"))).toEqual([true, false]);
  }
});

test("all of the output compiles, and handlers keep their types", async () => {
  const files = await filesWithNext({ vocabulary: newest });
  expect(await compilerErrors(files)).toEqual([]);
  // Not even their text is another.
  for (const file of ["authoring.ts", "open.ts", "listed.ts"])
    expect(files.get(file)).toBe(readFileSync(`generated/${file}`, "utf8"));
});

test("a draft beside released revisions is above the vocabulary", async () => {
  const { serverRevisions, clientRevisions } = await withNext({ status: "draft" });
  const server = everyFeature(serverRevisions, checked);
  expect(server.vocabulary).toBe(newest);
  const { client, close } = await createTestPair({
    ...{ server, revisions: clientRevisions, ...checked, ...answers },
  });
  expect(client.revision).toBe(next);
  expect(await tour(client)).toEqual(tourAtNext);
  await close();
});

describe("conversations at the new revision", () => {
  test("a server and a client of all revisions settle on it, and every feature works", async () => {
    const { serverRevisions, clientRevisions } = protocol;
    const server = everyFeature(serverRevisions, checked);
    expect(server.vocabulary).toBe(newest);
    const { client, wire, close } = await createTestPair({
      ...{ server, revisions: clientRevisions, ...checked, ...answers },
    });
    expect(client.revision).toBe(next);
    expect(await tour(client)).toEqual(tourAtNext);
    expect(client.serverCapabilities).toMatchObject({ completions: {} });
    await close();
    const said = String(wire);
    for (const word of [
      '"items":[{',
      '"tool":"add"',
      '"kind":"plain"',
      '"completion":{}',
      '"decision":"accept"',
      '"why":"tools/call was cancelled"',
    ])
      expect(said).toContain(word);
    for (const word of ['"tools":[{', '"completions":', "toolsListChanged", '"action":'])
      expect(said).not.toContain(word);
  });

  test.each([newest, next])("over HTTP at %s, with the headers of the revision", async (revision) => {
    const { serverRevisions, clientRevisions } = protocol;
    const served = await serveHttp(everyFeature(serverRevisions, checked), { port: 0 });
    const client = await connect(served.url, {
      revisions: clientRevisions,
      revision,
      ...checked,
      ...answers,
    });
    expect(await tour(client)).toEqual(revision === next ? tourAtNext : expectedTour(revision));
    await client.close();
    await served.close();
  });

  test.each(["server", "client"] as const)("the %s knows nothing but the new revision", async (role) => {
    const { serverRevisions, clientRevisions } = protocol;
    const server = everyFeature(role === "server" ? only(serverRevisions, next) : serverRevisions, checked);
    expect(server.vocabulary).toBe(newest);
    const known = role === "client" ? only(clientRevisions, next) : clientRevisions;
    const { client, close } = await createTestPair({ server, revisions: known, ...checked, ...answers });
    expect(client.revision).toBe(next);
    expect(await tour(client)).toEqual(tourAtNext);
    await close();
  });

  test("scopes stand with the tool that the request names in its own words", async () => {
    const { serverRevisions, clientRevisions } = protocol;
    const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
    server.tool("guarded", { scopes: ["tools:guarded"] }, () => "open");
    const asked: unknown[] = [];
    const { url, close } = await serveHttp(server, {
      port: 0,
      permit: (calls) => {
        asked.push(...calls.map(({ method, scopes }) => [method, scopes]));
        return undefined;
      },
    });
    const client = await connect(url, { revisions: clientRevisions });
    await client.callTool("guarded");
    await client.close();
    await close();
    expect(asked).toContainEqual(["tools/call", ["tools:guarded"]]);
  });
});

describe("conversations at the released revisions", () => {
  test.each(revisions)("at %s no byte differs from what is sent without the new one", async (revision) => {
    const { serverRevisions, clientRevisions } = protocol;
    const speaks = [revision];
    const before = await recorded(everyFeature({ known: publishedForServers, speaks }), {
      ...{ revisions: publishedForClients, revision },
    });
    const after = await recorded(everyFeature({ known: serverRevisions, speaks }, checked), {
      ...{ revisions: clientRevisions, revision },
    });
    expect(after).toEqual(before);
  });
});

test("the newest revision is served above the one before it, except for pages that need an id", async () => {
  const vocabulary = revisions.at(-2)!;
  const all = pinnedAt(vocabulary);
  const server = everyFeature({ known: all.server, speaks: [newest] }, checked);
  expect(server.vocabulary).toBe(vocabulary);
  const { client, close } = await createTestPair({
    ...{ server, revisions: all.client, revision: newest, ...checked, ...answers },
  });
  expect(await tour(client)).toEqual({ ...expectedTour(newest), visited: "not-expressible" });
  await close();
});

describe("losses", () => {
  test("both sides report what the new revision cannot express of the vocabulary", async () => {
    const { serverRevisions, clientRevisions } = protocol;
    const [sent, received]: Loss[][] = [[], []];
    const server = everyFeature(serverRevisions, { onEvent: heard({ loss: (loss) => sent!.push(loss) }) });
    const { client, close } = await createTestPair({
      ...{
        server,
        revisions: clientRevisions,
        onEvent: heard({ loss: (loss: Loss) => received!.push(loss) }),
      },
    });
    await client.callTool("media");
    await client.listTools();
    await close();
    expect(sent).toEqual([
      expect.objectContaining({
        ...{ revision: next, method: "tools/call", direction: "outgoing" },
        ...{ pointer: "/content/2", how: "text" },
      }),
    ]);
    // Members that the vocabulary does not have are gone for the caller.
    expect(received).toContainEqual(
      expect.objectContaining({
        ...{ revision: next, method: "tools/list", direction: "incoming" },
        ...{ pointer: "/items/0/kind", how: "dropped" },
      }),
    );
  });

  test("a client hears of a block that its vocabulary does not have", async () => {
    const { serverRevisions, clientRevisions } = protocol;
    const server = createServer(
      { name: "s", version: "1" },
      // Its handlers write the words of the new revision.
      { revisions: { known: serverRevisions, vocabulary: next }, capabilities: { tools: {} }, ...checked },
    );
    expect(server.vocabulary).toBe(next);
    const content = [{ type: "video", url: "https://example.com/1" }];
    server.handle("tools/call", () => ({ content }) as never);
    const losses: Loss[] = [];
    const { client, close } = await createTestPair({
      ...{
        server,
        revisions: clientRevisions,
        onEvent: heard({ loss: (loss: Loss) => losses.push(loss) }),
      },
    });
    const read = await client.callTool("film");
    await close();
    expect(read.content).toEqual([{ type: "text", text: "[video https://example.com/1]" }]);
    expect(losses).toMatchObject([{ direction: "incoming", pointer: "/content/0", how: "text" }]);
  });

  test("a client reports what it cannot say, and its listener breaks nothing", async () => {
    const losses: Loss[] = [];
    const { client, close } = await createTestPair({
      server: everyFeature(publishedForServers),
      ...{ revisions: publishedForClients, revision: "2024-11-05", ...answers },
      onEvent: heard({
        loss: (loss: Loss) => {
          losses.push(loss);
          throw new Error("full");
        },
      }),
    });
    expect((await client.callTool("work")).isError).toBeUndefined();
    await close();
    expect(losses).toContainEqual(
      expect.objectContaining({ revision: "2024-11-05", method: "initialize", direction: "outgoing" }),
    );
  });
});

describe("linking", () => {
  const server = (all: readonly Revision<"server">[], vocabulary?: string): CodeFirstServer =>
    createServer(
      { name: "s", version: "1" },
      { revisions: { known: all, ...(vocabulary !== undefined && { vocabulary }) } },
    );

  test("the vocabulary is that of the tables, or the newest revision below it", () => {
    const { serverRevisions } = protocol;
    expect(server(serverRevisions).vocabulary).toBe(newest);
    expect(server(only(serverRevisions, next)).vocabulary).toBe(newest);
    expect(server(only(serverRevisions, "2025-06-18", "2025-03-26")).vocabulary).toBe("2025-06-18");
    expect(server(serverRevisions, next).vocabulary).toBe(next);
    expect(server(publishedForServers).vocabulary).toBe(newest);
  });

  test("a gap, and a revision without steps to the vocabulary, are refused", async () => {
    const { serverRevisions } = protocol;
    const refusal = (all: readonly Revision<"server">[], vocabulary?: string) =>
      failureOf(Promise.resolve().then(() => server(all, vocabulary)));
    expect(await refusal(only(serverRevisions, "2025-11-25", next))).toMatchObject({
      code: "invalid-definition",
      message: expect.stringMatching(
        `no steps lead from revision ${next} to 2025-11-25. Add revision ${newest}`,
      ) as string,
    });
    expect(await refusal(serverRevisions, "2025-11-25")).toMatchObject({
      code: "invalid-definition",
      message: expect.stringMatching(
        `no steps lead from revision ${newest} to 2025-11-25. Generate both`,
      ) as string,
    });
    expect(await refusal(publishedForServers, next)).toMatchObject({
      code: "invalid-definition",
      message: expect.stringMatching(`no steps lead from revision ${newest} to`) as string,
    });
  });

  test("servers of different vocabularies are not mounted", async () => {
    const { serverRevisions } = protocol;
    const host = server(serverRevisions);
    const wrong = await failureOf(
      Promise.resolve().then(() => host.mount(server(serverRevisions, next), { prefix: "x" })),
    );
    expect(wrong).toMatchObject({
      code: "invalid-definition",
      message: expect.stringContaining(next) as string,
    });
  });
});
