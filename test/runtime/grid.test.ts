import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import {
  type Channel,
  type ClientChannel,
  type Client,
  type ConnectOptions,
  type McpError,
  type Server,
  type Source,
  connect,
  memoryChannels,
} from "@mcpgen/runtime";
import { createHttpHandler, serveHttp } from "@mcpgen/runtime/http";
import { stdioClientChannel, stdioServerChannel, streamChannel } from "@mcpgen/runtime/stdio";
import { Recording, VirtualClock, createTestPair } from "@mcpgen/testing";
import { httpClientChannel } from "../../runtime/core/http/client/http-client.js";
import { legacyHttp } from "../../runtime/core/legacy/client/event-streams.js";
import { adapters, serve } from "../support/http-adapters.js";
import { builtProgram } from "../support/built-program.js";
import { expectedTour } from "../support/every-feature/expected.js";
import { everyFeature } from "../support/every-feature/server.js";
import { judge } from "../support/every-feature/judge.js";
import { answers, tour } from "../support/every-feature/tour.js";

type HttpClientOptions = NonNullable<ConnectOptions["http"]>;

const ids = clientRevisions.map(({ id }) => id);
const legacy = clientRevisions.filter(({ era }) => era === "legacy").map(({ id }) => id);

/** A server on a wire, as a client reaches it. */
interface Served {
  readonly source: Source;
  readonly http?: HttpClientOptions;
  close(): Promise<void>;
}

/** In memory, in the format of stdio over pipes inside this process, and over HTTP: by sockets, and by web objects. */
const wires: { readonly [name: string]: (server: Server) => Promise<Served> } = {
  memory: async (server) => {
    const [near, far] = memoryChannels();
    server.connect(far);
    return { source: near, close: () => far.close() };
  },
  "the wire of stdio": async (server) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const far = stdioServerChannel({ input, output });
    server.connect(far);
    return { source: streamChannel(output, input, { backlog: Infinity }), close: () => far.close() };
  },
  "HTTP by node:http": async (server) => {
    const { url, close } = await serveHttp(server, { port: 0 });
    return { source: url, close };
  },
  "HTTP by fetch": async (server) => {
    const handler = createHttpHandler(server);
    return {
      source: "http://localhost/mcp",
      http: { fetch: (url, init) => handler.fetch(new Request(url, init)) },
      close: () => handler.close(),
    };
  },
};

/** The revision that a client and a server settle on, with a list and a call; or the code of the error. */
async function cell(
  wire: keyof typeof wires,
  clientSpeaks: readonly string[],
  serverSpeaks: readonly string[],
): Promise<string> {
  // Time stands still: what ends by a timeout never ends here.
  const clock = new VirtualClock();
  const server = everyFeature(
    serverRevisions.filter(({ id }) => serverSpeaks.includes(id)),
    { clock },
  );
  const { source, http = {}, close } = await wires[wire]!(server);
  let client: Client;
  try {
    client = await connect(source, {
      revisions: clientRevisions.filter(({ id }) => clientSpeaks.includes(id)),
      clock,
      http,
    });
  } catch (error) {
    await close();
    return (error as McpError).code;
  }
  const { items, rejected } = await client.listTools();
  expect(rejected).toEqual([]);
  expect(items.map(({ name }) => name)).toContain("work");
  expect((await client.callTool("work")).content).toEqual([{ type: "text", text: "worked" }]);
  const { revision } = client;
  await client.close();
  await close();
  expect(clock.waiting).toBe(0);
  return revision;
}

describe.each(Object.keys(wires))("over %s", (wire) => {
  test.each(ids.flatMap((client) => ids.map((server) => [client, server] as const)))(
    "a client of %s and a server of %s",
    async (client, server) => {
      expect(await cell(wire, [client], [server])).toBe(client === server ? client : "unsupported-version");
    },
  );

  // Who settles on what is the same over sockets, which cost the most.
  if (wire === "HTTP by node:http") return;

  test.each(
    ids.flatMap((newest, last) => ids.map((oldest, first) => [newest, oldest, last, first] as const)),
  )("a client up to %s and a server from %s", async (newest, oldest, last, first) => {
    const settled = await cell(wire, ids.slice(0, last + 1), ids.slice(first));
    expect(settled).toBe(newest >= oldest ? newest : "unsupported-version");
  });

  test.each(
    ids.flatMap((oldest, first) => ids.map((newest, last) => [oldest, newest, first, last] as const)),
  )("a client from %s and a server up to %s", async (oldest, newest, first, last) => {
    const settled = await cell(wire, ids.slice(first), ids.slice(0, last + 1));
    expect(settled).toBe(newest >= oldest ? newest : "unsupported-version");
  });
});

describe("one definition", () => {
  const program = builtProgram("test/support/every-feature/main.ts");
  const judged = judge(ids);

  /** Every feature works, and `mcpgen validate` finds nothing in the session. */
  async function tourAt(revision: string, channel: Channel | ClientChannel): Promise<void> {
    const wire = new Recording();
    const recorded = wire.of(channel, "client");
    const client = await connect(recorded, { revisions: clientRevisions, revision, ...answers });
    expect(client.revision).toBe(revision);
    expect(await tour(client)).toEqual(expectedTour(revision));
    await client.close();
    const messages = wire.session.length;
    expect(await judged(revision, wire.toString())).toMatchObject({
      code: 0,
      messages,
      valid: messages,
      unpaired: 0,
      findings: [],
    });
  }

  test.each(ids)("every feature at %s, in memory, where the server speaks nothing else", async (revision) => {
    const [near, far] = memoryChannels();
    // One that speaks no other revision lowers all the same what its handlers write.
    everyFeature({ known: serverRevisions, speaks: [revision] }).connect(far);
    await tourAt(revision, near);
  });

  test("the judge of the sessions finds a fault", async () => {
    const revision = ids.at(-1)!;
    const { client, wire, close } = await createTestPair({
      server: everyFeature(serverRevisions),
      revisions: clientRevisions,
    });
    await client.listTools();
    await close();
    const { code, findings } = await judged(
      revision,
      String(wire).replace('"inputSchema":', '"inputSchemas":'),
    );
    expect(code).toBe(1);
    expect(findings).toHaveLength(1);
    expect(findings[0]!.detail).toContain("inputSchema");
  });

  test.each(ids)("every feature at %s, where a process serves them all", async (revision) => {
    const channel = stdioClientChannel([process.execPath, ...process.execArgv, program]);
    onTestFinished(() => channel.close());
    await tourAt(revision, channel);
  });

  describe.each(adapters)("over HTTP by %s", (adapter) => {
    test.each(ids)("every feature at %s, where one endpoint serves them all", async (revision) => {
      const { url } = await serve(adapter, everyFeature(serverRevisions));
      await tourAt(revision, httpClientChannel(url, {}, { legacy: legacyHttp }));
    });

    test.each(legacy)(
      "every feature at %s, where the client has the older transport alone",
      async (revision) => {
        const { url } = await serve(adapter, everyFeature(serverRevisions), { sse: true });
        // What stands in front lets no message through to the endpoint itself.
        const older: typeof fetch = async (to, init) =>
          init?.method === "POST" && String(to) === url ? new Response("", { status: 405 }) : fetch(to, init);
        await tourAt(revision, httpClientChannel(url, { fetch: older }, { legacy: legacyHttp }));
      },
    );
  });

  test.each(legacy)("every feature at %s, over HTTP+SSE", async (revision) => {
    const { url } = await serve("node", everyFeature(serverRevisions), { sse: true });
    // What stands in front lets no message through to the endpoint itself.
    const older: typeof fetch = async (to, init) =>
      init?.method === "POST" && String(to) === url ? new Response("", { status: 405 }) : fetch(to, init);
    await tourAt(revision, httpClientChannel(url, { fetch: older }, { legacy: legacyHttp }));
  });
});
