import { describe, expect, onTestFinished, test, vi } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import {
  type CodeFirstServer,
  type ConnectOptions,
  type ErrorPlace,
  type HandlerContext,
  McpError,
  type ServerOptions,
  createServer,
} from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import { heard } from "../../support/heard.mjs";

const eras = ["2025-11-25", "2026-07-28"];

const form = {
  message: "?",
  requestedSchema: { type: "object" as const, properties: { ok: { type: "boolean" as const } } },
};

const agreeing: Partial<ConnectOptions> = { elicit: () => ({ action: "accept", content: { ok: true } }) };

async function pairOf(
  revision: string,
  offer: (server: CodeFirstServer) => void,
  more: Partial<ConnectOptions> = agreeing,
  options: Partial<ServerOptions> = {},
) {
  const warnings: string[] = [];
  const errors: [unknown, ErrorPlace][] = [];
  const server = createServer(
    { name: "s", version: "1" },
    {
      revisions: serverRevisions,
      onEvent: heard({
        warning: (text) => void warnings.push(text),
        handlerError: (...report) => void errors.push(report),
      }),
      capabilities: { logging: {} },
      ...options,
    },
  );
  offer(server);
  const made = await createTestPair({ server, revisions: clientRevisions, revision, ...more });
  return { ...made, server, warnings, errors };
}

const textOf = (result: { content: readonly { type: string }[] }): unknown =>
  (result.content[0] as { text?: string } | undefined)?.text;

const ways = [...eras.map((revision) => [revision, false] as const), ["2026-07-28", true] as const];

describe.each(ways)("at %s (replay: %s)", (revision, replay) => {
  const pair = (
    at: string,
    offer: (server: CodeFirstServer) => void,
    more?: Partial<ConnectOptions>,
  ): ReturnType<typeof pairOf> => pairOf(at, offer, more, replay ? { state: { parking: false } } : {});

  const asking = (run: (context: HandlerContext) => Promise<string>) => (server: CodeFirstServer) =>
    void server.tool("ask", { replay }, (_, context) => run(context));

  test("asks may be started together and awaited one after another", async () => {
    const { client, close } = await pair(
      revision,
      asking(async ({ ask }) => {
        const [one, other] = [ask.elicit("one", form), ask.elicit("other", form)];
        return `${(await one).action} ${(await other).action}`;
      }),
    );
    expect(textOf(await client.callTool("ask"))).toBe("accept accept");
    await close();
  });

  test("exceptions of handlers are reported with method and name, errors for the client are not", async () => {
    const broken = new Error("broken");
    const throws = (): never => {
      throw broken;
    };
    const { client, close, errors } = await pair(revision, (server) => {
      server.tool("t", {}, throws);
      server.prompt("p", {}, async () => throws());
      server.resource("x://one", {}, throws);
      server.resourceTemplate("x://many/{id}", { complete: { id: throws } }, throws);
      server.tool("meant", {}, () => {
        throw new McpError("invalid-params", "no", { rpcCode: -32602 });
      });
      server.tool("ask", { replay }, async (_, { ask }) => (await ask.elicit("k", form)).action);
    });
    expect((await client.callTool("t")).content).toEqual([{ type: "text", text: "broken" }]);
    await expect(client.getPrompt("p")).rejects.toMatchObject({ rpcCode: -32603 });
    await expect(client.readResource("x://one")).rejects.toMatchObject({ rpcCode: -32603 });
    await expect(client.readResource("x://many/2")).rejects.toMatchObject({ rpcCode: -32603 });
    const ref = { type: "ref/resource", uri: "x://many/{id}" } as const;
    await expect(client.complete({ ref, argument: { name: "id", value: "" } })).rejects.toMatchObject({
      rpcCode: -32603,
    });
    await expect(client.callTool("meant")).rejects.toMatchObject({ rpcCode: -32602 });
    expect(textOf(await client.callTool("ask"))).toBe("accept");
    expect(errors).toEqual([
      [broken, { method: "tools/call", name: "t" }],
      [broken, { method: "prompts/get", name: "p" }],
      [broken, { method: "resources/read", name: "x://one" }],
      [broken, { method: "resources/read", name: "x://many/2" }],
      [broken, { method: "completion/complete", name: "x://many/{id}" }],
    ]);
    await close();
  });

  test("an exception after the cancellation of the request is not reported", async () => {
    const { client, close, errors } = await pair(
      revision,
      (server) =>
        void server.tool(
          "wait",
          {},
          (_, { signal }) =>
            new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("late")))),
        ),
    );
    const controller = new AbortController();
    const call = client.callTool("wait", {}, { signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    await client.listTools();
    await close();
    expect(errors).toEqual([]);
  });

  test("an ask that is not awaited fails silently", async () => {
    const { client, close } = await pair(
      revision,
      asking(async ({ ask }) => {
        void ask.sample("unawaited", { messages: [], maxTokens: 1 });
        return "done";
      }),
    );
    expect(textOf(await client.callTool("ask"))).toBe("done");
    await close();
  });

  test("two asks with one key are an error, not an endless loop", async () => {
    const { client, close } = await pair(
      revision,
      asking(async ({ ask }) => {
        await ask.elicit("again", form);
        return (await ask.elicit("again", form)).action;
      }),
    );
    const result = await client.callTool("ask");
    expect([result.isError, textOf(result)]).toEqual([
      true,
      expect.stringContaining('two asks have the key "again"'),
    ]);
    await close();
  });

  test("an effect without a result runs once; a result that is not JSON is an error", async () => {
    let runs = 0;
    const { client, close } = await pair(revision, (server) => {
      server.tool("ask", { replay }, async (_, { ask, once }) => {
        await once("charge", () => void runs++);
        await ask.elicit("k", form);
        return "charged";
      });
      server.tool("date", {}, async (_, { once }) => String(await once("when", () => new Date(0))));
    });
    expect(textOf(await client.callTool("ask"))).toBe("charged");
    expect(runs).toBe(1);
    const wrong = await client.callTool("date");
    expect([wrong.isError, textOf(wrong)]).toEqual([true, expect.stringContaining("must be JSON")]);
    await close();
  });

  test("omitted content is an empty object", async () => {
    const { client, close } = await pair(
      revision,
      asking(async ({ ask }) => JSON.stringify(await ask.elicit("k", form))),
      { elicit: () => ({ action: "accept" }) },
    );
    expect(JSON.parse(textOf(await client.callTool("ask")) as string)).toEqual({
      action: "accept",
      content: {},
    });
    await close();
  });

  test("a notification that cannot be sent never fails the handler", async () => {
    const { client, close, warnings } = await pair(
      revision,
      (server) =>
        void server.tool("log", {}, (_, { log }) => {
          const cycle: { self?: object } = {};
          cycle.self = cycle;
          log("error", cycle);
          return "done";
        }),
      { logLevel: "debug" },
    );
    expect(textOf(await client.callTool("log"))).toBe("done");
    expect(warnings).toEqual([expect.stringContaining("notifications/message is left out")]);
    await close();
  });

  test("a list of content is a result with it", async () => {
    const { client, close } = await pair(
      revision,
      (server) => void server.tool("list", {}, () => [{ type: "text", text: "a" }]),
    );
    expect((await client.callTool("list")).content).toEqual([{ type: "text", text: "a" }]);
    await close();
  });

  test.each([42, null, [1], { content: "nope" }, { sum: 3 }, {}, { isError: true }])(
    "the answer %j is invalid",
    async (answer) => {
      const { client, close } = await pair(
        revision,
        (server) => void server.tool("wrong", {}, () => answer as never),
      );
      await expect(client.callTool("wrong")).rejects.toMatchObject({ rpcCode: -32603 });
      await close();
    },
  );

  test("an updated schema is used for checks; an old registration does not remove a new tool", async () => {
    const { client, close, server } = await pair(revision, (it) => void it.tool("first", {}, () => "first"));
    const properties = (type: string) => ({ type: "object" as const, properties: { a: { type } } });
    const registration = server.tool("add", { inputSchema: properties("string") }, () => "right");
    registration.update({ inputSchema: properties("number") });
    expect((await client.callTool("add", { a: "1" })).isError).toBe(true);
    expect(textOf(await client.callTool("add", { a: 1 }))).toBe("right");
    registration.remove();
    server.tool("add", {}, () => "new");
    registration.remove();
    expect(textOf(await client.callTool("add"))).toBe("new");
    await close();
  });

  test("a declared list is answered after its last entry is removed", async () => {
    let registration: { remove(): void } | undefined;
    const { client, close } = await pair(revision, (server) => {
      registration = server.tool("only", {}, () => "x");
    });
    registration!.remove();
    expect((await client.listTools()).items).toEqual([]);
    await close();
  });
});

test("the exception of a notification handler is reported", async () => {
  const { client, close, server, errors } = await pairOf(
    "2025-11-25",
    (it) => void it.tool("t", {}, () => "x"),
    {
      roots: [{ uri: "file:///x" }],
    },
  );
  server.on("notifications/roots/list_changed", () => {
    throw new Error("broken");
  });
  await client.rootsChanged();
  await client.callTool("t");
  expect(errors).toEqual([
    [expect.objectContaining({ message: "broken" }), { method: "notifications/roots/list_changed" }],
  ]);
  await close();
});

test("for any number of tools registered at a time, clients get one notification", async () => {
  const heard: string[] = [];
  const { client, server, close } = await pairOf("2025-11-25", (before) => {
    before.tool("first", {}, () => "");
    before.prompt("first", {}, () => ({ messages: [] }));
  });
  client.on("*", (_, method) => void heard.push(method));
  for (let index = 0; index < 500; index++) server.tool(`tool-${index}`, {}, () => "");
  server.prompt("p", {}, () => ({ messages: [] }));
  expect((await client.listTools()).items).toHaveLength(501);
  expect(heard.sort()).toEqual(["notifications/prompts/list_changed", "notifications/tools/list_changed"]);
  await close();
});

describe("a definition that cannot work is refused at its registration", () => {
  const server = (): CodeFirstServer =>
    createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
  const of = { a: () => [] };

  test.each<[string, (server: CodeFirstServer) => unknown, RegExp]>([
    [
      "a method no revision has",
      (own) => own.handle("no/such", () => ({})),
      /"no\/such" is not a client request/,
    ],
    [
      "a notification no revision has",
      (own) => own.on("no/such", () => {}),
      /"no\/such" is not a client notification/,
    ],
    [
      "suggestions for no argument of a prompt",
      (own) =>
        own.prompt("p", { arguments: [{ name: "b" }], complete: of as object }, () => ({ messages: [] })),
      /no argument "a"; it has b\./,
    ],
    [
      "suggestions for no variable of a template",
      (own) => own.resourceTemplate("x://{b}", { complete: of as object }, () => ({ contents: [] })),
      /no argument "a"; it has b\./,
    ],
    [
      "values in the place of what suggests them",
      (own) =>
        own.prompt("p", { arguments: [{ name: "a" }], complete: { a: ["x"] } as object }, () => ({
          messages: [],
        })),
      /prompt "p": complete\.a: expected a function that gives values\./,
    ],
    [
      "a template with a variable twice",
      (own) => own.resourceTemplate("x://{a}/{a}", {}, () => ({ contents: [] })),
      /it has the variable a twice/,
    ],
  ])("%s", (_, define, message) => {
    const own = server();
    let thrown: unknown;
    try {
      define(own);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: "McpError", code: "invalid-definition" });
    expect((thrown as McpError).message).toMatch(message);
  });

  test("a request of any generated revision may have a handler, even if the revision is not served", () => {
    const own = createServer(
      { name: "s", version: "1" },
      { revisions: { known: serverRevisions, speaks: ["2026-07-28"] } },
    );
    own.handle("ping", () => ({}));
    own.on("notifications/roots/list_changed", () => {});
  });
});

test("an invalid result is printed with its place, without a stack of the runtime", async () => {
  const lines: string[] = [];
  const spy = vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
  onTestFinished(() => spy.mockRestore());
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
  const outputSchema = { type: "object", properties: { sum: { type: "number" } } } as const;
  server.tool("none", {}, () => undefined as never);
  server.tool("wrong", { outputSchema }, () => ({ structuredContent: { sum: "3" } }) as never);
  server.prompt("none", {}, () => null as never);
  server.tool("throws", {}, () => {
    throw new Error("broken");
  });
  const { client, close } = await createTestPair({
    server,
    revisions: clientRevisions,
    revision: "2025-11-25",
  });
  onTestFinished(close);
  await expect(client.callTool("none")).rejects.toMatchObject({ rpcCode: -32603 });
  await expect(client.callTool("wrong")).rejects.toMatchObject({ rpcCode: -32603 });
  await expect(client.getPrompt("none")).rejects.toMatchObject({ rpcCode: -32603 });
  await client.callTool("throws");
  expect(lines).toEqual([
    'tools/call "none": the tool none gave neither text nor { content: […] } nor { structuredContent: … }',
    'tools/call "wrong": the tool wrong broke its outputSchema, without isError: sum: expected number, got "3" (string)',
    'prompts/get "none": the prompt none gave neither text nor { messages: [{ role, content }] }',
    expect.stringMatching(/^tools\/call "throws": Error: broken\n    at .*handlers\.test\.ts/),
  ]);
});

test("handle replaces any handler of the runtime", async () => {
  const levels: unknown[] = [];
  const { client } = await pairOf("2025-11-25", (own) =>
    own.handle("logging/setLevel", ({ level }: { level: string }) => {
      levels.push(level);
      return {};
    }),
  );
  await client.request("logging/setLevel", { level: "error" });
  expect(levels).toEqual(["error"]);
});
