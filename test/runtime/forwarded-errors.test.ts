// Errors that a server forwards from another server: unchanged, but for codes that the revision of its client does not have.
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import {
  type Client,
  type CodeFirstServer,
  type ConnectOptions,
  connect,
  createServer,
  type HandlerContext,
  McpError,
} from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { errorAt, nameOfCode } from "../../runtime/core/protocol/error-table.js";
import { linkRevisions } from "../../runtime/core/protocol/revision-view.js";
import { cases } from "../support/cases.mjs";
import { failureOf } from "../support/failure-of.js";
import { serve } from "../support/http-adapters.js";
import * as http from "../support/scripted-http-server.js";
import { type Members, connected, reply } from "../support/scripted-stdio-server.js";

const revisions = clientRevisions.map(({ id }) => id);
const newest = revisions.at(-1)!;
const info = { name: "gateway", version: "1" };

interface Sent {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A server that answers each call with the answer of the server behind a client. */
function forwarding(back: Client): CodeFirstServer {
  const server = createServer(info, {
    revisions: serverRevisions,
    capabilities: { tools: {}, prompts: {}, resources: {} },
    onEvent: () => true,
  });
  for (const method of ["tools/call", "prompts/get", "resources/read"])
    server.handle(method, { params: {} }, (params: object) => back.request<Members>(method, params));
  return server;
}

async function frontOf(server: CodeFirstServer, revision: string, options: Partial<ConnectOptions> = {}) {
  const { client, close } = await createTestPair({ server, revision, info, ...options });
  onTestFinished(close);
  return client;
}

/** The error of a call that a server at one revision forwards from a server at another one. */
async function crossing(from: string, to: string): Promise<(sent: Sent) => Promise<McpError>> {
  let error: Sent;
  const { client: back } = await connected(from, { "tools/call": () => ({ error: error as never }) });
  const front = await frontOf(forwarding(back), to);
  return async (sent) => {
    error = sent;
    return (await failureOf(front.request("tools/call", { name: "x" }))) as McpError;
  };
}

const eras = ["2025-11-25", newest];
const pairs = eras.flatMap((from) => eras.map((to) => [from, to] as const));

describe("an error reaches the client as it was sent", () => {
  const code = fc.oneof(
    fc.maxSafeInteger().filter((each) => each < -32099 || each > -32002),
    fc.constantFrom(-32700, -32600, -32601, -32602, -32603, -32000, -1, 0, -31429, -31408, -31403),
  );
  const message = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constant("tools/call: x"),
    fc.constant("m".repeat(40_000)),
  );
  const errors: fc.Arbitrary<Sent> = fc.oneof(
    fc.record({ code, message }),
    fc.record({ code, message, data: fc.jsonValue() }),
  );

  test.each(pairs)("from %s to %s", async (from, to) => {
    const cross = await crossing(from, to);
    await fc.assert(
      fc.asyncProperty(errors, async (sent) => {
        const { remote, rpcCode, data } = await cross(sent);
        expect(JSON.stringify(remote)).toBe(JSON.stringify(sent));
        expect([rpcCode, data]).toEqual([sent.code, sent.data]);
      }),
      { numRuns: cases(300, 300) },
    );
  });

  test.each(pairs)("over HTTP from %s to %s", async (from, to) => {
    let error: Sent;
    const { client: back } = await http.connected(from, {
      "tools/call": (incoming) => incoming.json(incoming.answer({ error })),
    });
    const { url } = await serve("node", forwarding(back));
    const front = await connect(url, { info, revisions: clientRevisions, revision: to });
    onTestFinished(() => front.close());
    for (const sent of [
      { code: -32603, message: "broken" },
      { code: -32601, message: "tools/call: gone", data: null },
      { code: 7, message: "", data: [{ a: "ü" }, 0] },
    ]) {
      error = sent;
      expect(await failureOf(front.callTool("x"))).toMatchObject({ remote: sent });
    }
  });

  test("unless it is not one of JSON-RPC", async () => {
    const { client } = await connected(newest, { "tools/call": () => ({ error: { code: 1.5 } }) });
    expect(await failureOf(client.callTool("x"))).toMatchObject({ code: "remote-error", rpcCode: 1.5 });
    expect(((await failureOf(client.callTool("x"))) as McpError).remote).toBeUndefined();
  });

  /** The error that a server of 2025-11-25 gets for a question which a server of another revision passes on. */
  async function refusal(to: string, options: Partial<ConnectOptions>): Promise<unknown> {
    let asking: HandlerContext | undefined;
    const { client: back, peer } = await connected(
      "2025-11-25",
      {
        "tools/call": async (_, own) => {
          const { error } = await peer.ask("roots/list");
          return reply(own, { content: [{ type: "text", text: JSON.stringify(error) }] });
        },
      },
      { roots: () => asking!.ask.roots("r") },
    );
    const server = createServer(info, { revisions: serverRevisions, onEvent: () => true });
    server.tool("ask", {}, (_, context) => {
      asking = context;
      return back.callTool("ask");
    });
    const front = await frontOf(server, to, options);
    const { content } = (await front.callTool("ask")) as { readonly content: readonly Members[] };
    return JSON.parse(content[0]!["text"] as string);
  }

  test("and the other way: what a client answers to a question", async () => {
    const sent = { code: -1, message: "the user rejected it", data: ["why"] };
    const roots = (): never => {
      throw new McpError("cancelled", sent.message, { rpcCode: sent.code, data: sent.data });
    };
    expect(await refusal("2025-11-25", { roots })).toEqual(sent);
  });

  test("and a server of 2025-11-25 gets no code of 2026-07-28", async () => {
    expect(await refusal(newest, {})).toMatchObject({
      code: -32600,
      data: { requiredCapabilities: { roots: {} } },
    });
  });
});

/** The codes of the specification that some revisions define: where, and the code at the others. */
const changing: readonly (readonly [code: number, at: readonly string[], elsewhere: number])[] = [
  [-32002, revisions.filter((id) => id !== newest), -32602],
  [-32042, ["2025-11-25"], -32600],
  [-32020, [newest], -32600],
  [-32021, [newest], -32600],
  [-32022, [newest], -32602],
];

/** The code at one revision of an error that a server at another revision sent. */
function expected(code: number, from: string, to: string): number {
  const [, at, elsewhere] = changing.find(([each]) => each === code) ?? [];
  // -32002 means a missing resource wherever it comes from.
  if (at && (at.includes(from) || code === -32002)) return at.includes(to) ? code : elsewhere!;
  return to === newest && code <= -32020 && code >= -32099 ? -32603 : code;
}

const codes = [
  ...changing.map(([code]) => code),
  ...[-32700, -32600, -32601, -32602, -32603, -32000, -32001, -32019, -32023, -32050, -32099, -32100],
  ...[-31429, -31408, -31403, -1, 0, 5],
];

describe("codes of one revision at another", () => {
  test.each(revisions.flatMap((from) => revisions.map((to) => [from, to] as const)))(
    "from %s to %s",
    async (from, to) => {
      const cross = await crossing(from, to);
      for (const code of codes) {
        const sent = { code, message: "refused", data: { note: 1 } };
        expect((await cross(sent)).remote, String(code)).toEqual({ ...sent, code: expected(code, from, to) });
      }
    },
  );

  test("are those of the tables", () => {
    for (const { id, table } of linkRevisions(serverRevisions, {}))
      for (const { code } of Object.values(table.errors)) {
        const at = changing.find(([each]) => each === code)?.[1];
        if (at) expect(at).toContain(id);
        else expect(code === -1 || (code <= -32600 && code >= -32700)).toBe(true);
      }
  });

  test("are decided by the code, or the name, where a handler throws its own error", () => {
    for (const view of linkRevisions(serverRevisions, {}))
      for (const [code, at, elsewhere] of changing) {
        const right = at.includes(view.id) ? code : elsewhere;
        const thrown = new McpError("invalid-request", "no", { rpcCode: code, data: 5 });
        expect(errorAt(view, thrown)).toMatchObject({ rpcCode: right, message: "no", data: 5 });
        const named = new McpError("invalid-request", "no", { protocolName: nameOfCode(code)! });
        expect(errorAt(view, named)).toMatchObject({ rpcCode: right, message: "no" });
      }
  });

  test.each(revisions)("of a resource that does not exist, at %s", async (to) => {
    for (const [from, code] of revisions.flatMap((id) => [[id, -32002] as const, [id, -32602] as const])) {
      const uri = "x://none";
      const sent = { code, message: "gone", data: { uri } };
      const { client: back } = await connected(from, { "resources/read": () => ({ error: sent }) });
      const front = await frontOf(forwarding(back), to);
      const failure = (await failureOf(front.readResource(uri))) as McpError;
      expect(failure.code).toBe("resource-not-found");
      // "Invalid params" names a missing resource at 2026-07-28 alone.
      const isOther = code === -32602 && from !== newest;
      expect(failure.remote).toEqual({ ...sent, code: to === newest || isOther ? -32602 : -32002 });
    }
  });
});

describe("pages that an error requires", () => {
  const page = { mode: "url", elicitationId: "e1", url: "https://login.example/", message: "Log in" };
  const required = { code: -32042, message: "Log in first", data: { elicitations: [page, page] } };

  /** A server of 2025-11-25 that requires the pages a number of times, behind a gateway; and its calls. */
  async function gateway(times: number) {
    const { client: back, peer } = await connected("2025-11-25", {
      "tools/call": (_, own) =>
        peer.of("tools/call").length > times
          ? reply(own, { content: [{ type: "text", text: "in" }] })
          : { error: required },
    });
    return { server: forwarding(back), calls: () => peer.of("tools/call").length };
  }

  /** A client's option that answers each page, and keeps it. */
  function opener(action: "accept" | "decline") {
    const seen: object[] = [];
    const url = (asked: object): { action: typeof action } => {
      seen.push(asked);
      return { action };
    };
    return { seen, elicit: { url } };
  }

  test.each([1, 3])(
    "are opened in rounds by a client of 2026-07-28, and the call is repeated (%i times)",
    async (times) => {
      const { server, calls } = await gateway(times);
      const { seen, elicit } = opener("accept");
      const front = await frontOf(server, newest, { elicit });
      expect(await front.callTool("x")).toMatchObject({ content: [{ text: "in" }] });
      const { elicitationId: _, ...shown } = page;
      expect(seen).toEqual(Array.from({ length: 2 * times }, () => expect.objectContaining(shown) as object));
      expect(seen[0]).not.toHaveProperty("elicitationId");
      expect(calls()).toBe(times + 1);
    },
  );

  test("that the user declines leave the error", async () => {
    const { server, calls } = await gateway(Infinity);
    const { seen, elicit } = opener("decline");
    const front = await frontOf(server, newest, { elicit });
    const { remote } = (await failureOf(front.callTool("x"))) as McpError;
    expect(remote).toEqual({ ...required, code: -32600 });
    expect([seen.length, calls()]).toEqual([2, 2]);
  });

  test("need a client that opens pages", async () => {
    const { server } = await gateway(Infinity);
    const front = await frontOf(server, newest);
    expect(((await failureOf(front.callTool("x"))) as McpError).remote).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });
  });

  test.each([{}, { elicitations: [] }, { elicitations: [5] }, { elicitations: "x" }, null, undefined])(
    "are none in the data %j",
    async (data) => {
      const sent = { code: -32042, message: "x", ...(data !== undefined && { data }) };
      const { client: back } = await connected("2025-11-25", { "tools/call": () => ({ error: sent }) });
      const front = await frontOf(forwarding(back), newest, { elicit: opener("accept").elicit });
      expect(((await failureOf(front.callTool("x"))) as McpError).remote).toEqual({ ...sent, code: -32600 });
    },
  );

  test.each(revisions)(
    "are for the author of a server one error at every revision (%s)",
    async (revision) => {
      let calls = 0;
      const server = createServer(info, { revisions: serverRevisions, onEvent: () => true });
      server.tool("private", {}, () => {
        if (++calls > 1) return "in";
        throw new McpError("invalid-request", "Log in first", {
          protocolName: "URL_ELICITATION_REQUIRED",
          data: required.data,
        });
      });
      const front = await frontOf(server, revision, { elicit: opener("accept").elicit });
      if (revision === newest)
        expect(await front.callTool("private")).toMatchObject({ content: [{ text: "in" }] });
      else
        expect(((await failureOf(front.callTool("private"))) as McpError).remote).toEqual({
          ...required,
          code: revision === "2025-11-25" ? -32042 : -32600,
        });
    },
  );

  test("may follow a question for which the handler waited: the handler runs again from its first line", async () => {
    let calls = 0;
    const server = createServer(info, { revisions: serverRevisions, onEvent: () => true });
    server.tool("private", {}, async (_, { ask }) => {
      const roots = await ask.roots("r");
      if (++calls > 1) return `in with ${roots.length}`;
      throw new McpError("invalid-request", "Log in", { rpcCode: -32042, data: required.data });
    });
    let asked = 0;
    const { seen, elicit } = opener("accept");
    const front = await frontOf(server, newest, {
      elicit,
      roots: () => {
        asked++;
        return [];
      },
    });
    expect(await front.callTool("private")).toMatchObject({ content: [{ text: "in with 0" }] });
    expect([calls, asked, seen.length]).toEqual([2, 2, 2]);
    expect(server.stats().gauges).toMatchObject({ requests: 0, parked: 0 });
  });
});
