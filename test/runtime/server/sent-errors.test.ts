// What errors tell clients: thrown ones, and those whose code, text and data the server chooses.
import { serverRevisions } from "@mcpgen/protocol";
import {
  McpError,
  type RefusalOverrides,
  type ServerOptions,
  createServer,
  defineServer,
  errorTable,
  experimentalErrors,
} from "@mcpgen/runtime";
import { afterEach, describe, expect, test, vi } from "vitest";
import { timeLimit } from "@mcpgen/observe";
import { VirtualClock } from "@mcpgen/testing";
import { serve } from "../../support/http-adapters.js";
import { until } from "../../support/until.mjs";
import { Party } from "../../support/raw-http-client.js";
import { type Members, RawClient, type Wired } from "../../support/raw-stdio-client.js";

const revisions = serverRevisions.map(({ id }) => id);
const newest = revisions.at(-1)!;
const legacy = revisions.slice(0, -1);

afterEach(() => void vi.unstubAllEnvs());

type Request = (method: string, params: Members) => Promise<Wired>;

const secret = "no such file: /home/ada/key";

function failing(options: Partial<ServerOptions>) {
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, onEvent: () => true, ...options },
  );
  const fails = (): never => {
    throw new Error(secret);
  };
  server.tool("fails", {}, fails);
  server.tool("late", {}, () => Promise.reject(new Error(secret)));
  server.tool("coded", {}, () => {
    throw new McpError("timeout", "the back end is slow");
  });
  server.tool("asks", {}, async (_, { ask }) => String((await ask.roots("r")).length));
  server.tool("strict", { inputSchema: { type: "object", required: ["a"] } }, () => "");
  server.tool("hidden", { visible: () => false }, () => "");
  server.prompt("p", {}, fails);
  server.resource("x://slow", {}, () => {
    throw new McpError("timeout", "the back end is slow");
  });
  return server;
}

const transports = {
  stdio: async (options: Partial<ServerOptions>, revision: string): Promise<Request> => {
    const client = new RawClient(failing(options), revision);
    if (!client.isModern) await client.open();
    return (method, params) => client.request(method, params);
  },
  HTTP: async (options: Partial<ServerOptions>, revision: string): Promise<Request> => {
    const party = await new Party((await serve("node", failing(options))).url, revision).open();
    return (method, params) => party.request(method, params);
  },
};

async function textOf(request: Request, name: string): Promise<string> {
  const { result } = await request("tools/call", { name, arguments: {} });
  expect(result?.["isError"]).toBe(true);
  return result!["content"][0].text as string;
}

describe.each([legacy[0]!, newest])("thrown errors at %s", (revision) => {
  test.each([
    ["stdio", "production", undefined, secret],
    ["stdio", "development", undefined, secret],
    ["HTTP", "production", undefined, undefined],
    ["HTTP", "development", undefined, secret],
    ["stdio", "development", "hide", undefined],
    ["HTTP", "development", "hide", undefined],
    ["HTTP", "production", "message", secret],
  ] as const)("of tools over %s in %s, with %s: %s", async (transport, environment, thrown, text) => {
    vi.stubEnv("NODE_ENV", environment);
    const request = await transports[transport](thrown ? { errors: { thrown } } : {}, revision);
    for (const name of ["fails", "late"])
      expect(await textOf(request, name)).toBe(text ?? `the tool ${name} failed`);
    expect(await textOf(request, "coded")).toBe("the back end is slow");
  });

  test.each([
    [undefined, "the server failed to answer"],
    ["hide", "the server failed to answer"],
    ["message", secret],
  ] as const)("of other handlers, with %s: %s", async (thrown, text) => {
    const request = await transports.stdio(thrown ? { errors: { thrown } } : {}, revision);
    expect((await request("prompts/get", { name: "p" })).error).toEqual({ code: -32603, message: text });
  });
});

/** A request for each name that can be overridden, and what it is about. */
const refused: Readonly<Record<keyof RefusalOverrides, readonly [string, Members, subject: string]>> = {
  TOOL_NOT_FOUND: ["tools/call", { name: "hidden", arguments: {} }, "hidden"],
  PROMPT_NOT_FOUND: ["prompts/get", { name: "q" }, "q"],
  RESOURCE_NOT_FOUND: ["resources/read", { uri: "x://none" }, "x://none"],
  INVALID_TOOL_ARGUMENTS: ["tools/call", { name: "strict", arguments: {} }, "strict"],
  METHOD_NOT_FOUND: ["acme/none", {}, "acme/none"],
  MISSING_REQUIRED_CLIENT_CAPABILITY: ["tools/call", { name: "asks", arguments: {} }, "roots"],
  TIMEOUT: ["resources/read", { uri: "x://slow" }, "resources/read"],
  CONNECTION_CLOSED: ["resources/read", { uri: "x://slow" }, "resources/read"],
};

const names = (Object.keys(refused) as (keyof RefusalOverrides)[]).filter(
  (name) => name !== "CONNECTION_CLOSED",
);

describe("overrides of errors", () => {
  test.each(["tools/call", "prompts/get"])("hold for what timeLimit ends (%s)", async (method) => {
    for (const revision of revisions) {
      const clock = new VirtualClock();
      const errors = errorTable({ TIMEOUT: { code: -1234, message: (subject) => `too slow: ${subject}` } });
      const server = createServer(
        { name: "s", version: "1" },
        { revisions: serverRevisions, clock, errors: { table: errors } },
      );
      const forever = () => new Promise<never>(() => {});
      server.tool("slow", {}, forever);
      server.prompt("slow", {}, forever);
      server.use(timeLimit(1000));
      const client = new RawClient(server, revision);
      if (!client.isModern) await client.open();
      const id = client.start(method, { name: "slow" });
      await until("the limit runs", () => clock.waiting > 0);
      clock.advance(1000);
      expect((await client.answer(id)).error).toMatchObject(
        client.isModern ? { code: -31408 } : { code: -1234, message: `too slow: ${method}` },
      );
      await server.close();
    }
  });

  test.each(legacy)("have the code, text and data that the server chooses (%s)", async (revision) => {
    for (const [index, name] of names.entries()) {
      const errors = {
        [name]: {
          code: -1000 - index,
          message: (subject: string) => `${name}: ${subject}`,
          data: (subject: string, available: readonly string[]) => ({ subject, available }),
        },
      };
      const request = await transports.stdio(
        { errors: { table: errorTable(errors) }, wrongArguments: "error" },
        revision,
      );
      const [method, params, subject] = refused[name];
      const available =
        name === "TOOL_NOT_FOUND"
          ? ["fails", "late", "coded", "asks", "strict"]
          : name === "PROMPT_NOT_FOUND"
            ? ["p"]
            : [];
      expect((await request(method, params)).error).toEqual({
        code: -1000 - index,
        message: `${name}: ${subject}`,
        data: { subject, available },
      });
    }
  });

  test.each(["stdio", "HTTP"] as const)(
    "over %s: the preset of the experimental table",
    async (transport) => {
      const request = await transports[transport](
        { errors: { table: errorTable(experimentalErrors) } },
        legacy[0]!,
      );
      const codes: unknown[] = [];
      for (const name of names) codes.push((await request(...refusedOf(name))).error?.code);
      expect(codes).toEqual([-32003, -32004, -32002, -32005, -32601, -32001, -32006]);
      const { error } = await request("tools/call", { name: "none", arguments: {} });
      expect(error).toEqual({
        code: -32003,
        message: 'there is no tool "none"',
        data: { toolName: "none", availableTools: ["fails", "late", "coded", "asks", "strict"] },
      });
    },
  );

  test("are for legacy clients only: a modern client gets the same error without them", async () => {
    const [plain, request] = await Promise.all([
      transports.stdio({}, newest),
      transports.stdio({ errors: { table: errorTable(experimentalErrors) } }, newest),
    ]);
    for (const name of names) {
      const { error, result } = await request(...refusedOf(name));
      const { error: usual, result: usualResult } = await plain(...refusedOf(name));
      expect([error, result], name).toEqual([usual, usualResult]);
    }
  });

  const modern = serverRevisions.filter(({ era }) => era === "modern");

  test.each([
    ["createServer", () => failing({ errors: { table: errorTable(experimentalErrors) }, revisions: modern })],
    [
      "defineServer",
      () =>
        defineServer(
          { name: "s", version: "1" },
          {},
          { checks: {}, errors: { table: errorTable(experimentalErrors) }, revisions: modern },
        ),
    ],
    [
      "speaks",
      () =>
        failing({
          errors: { table: errorTable(experimentalErrors) },
          revisions: { known: serverRevisions, speaks: [newest] },
        }),
    ],
  ])("are refused by a server without legacy revisions (%s)", (_, make) => {
    expect(make).toThrow(
      expect.objectContaining({
        code: "invalid-definition",
        message: expect.stringContaining("no revision of this server allows other error codes"),
      }),
    );
  });

  test.each([
    [
      { TOOL_NOT_FUND: { code: 1 } },
      "errors.table.TOOL_NOT_FUND: there is no such option. Did you mean TOOL_NOT_FOUND?",
    ],
    [
      { TOOL_NOT_FOUND: { kode: 1 } },
      "errors.table.TOOL_NOT_FOUND.kode: there is no such option. Did you mean code?",
    ],
    [
      { TOOL_NOT_FOUND: { code: 1.5 } },
      "errors.table.TOOL_NOT_FOUND.code: expected a whole number, got 1.5.",
    ],
    [
      { TOOL_NOT_FOUND: { message: 1 } },
      "errors.table.TOOL_NOT_FOUND.message: expected a string or a function, got number.",
    ],
    [
      { TOOL_NOT_FOUND: { code: -32002 } },
      "errors.table.TOOL_NOT_FOUND.code: -32002 is RESOURCE_NOT_FOUND at 2025-11-25. Choose another code.",
    ],
    [
      { TOOL_NOT_FOUND: { code: -32030 } },
      "errors.table.TOOL_NOT_FOUND.code: -32030 is reserved for the specification. Choose another code.",
    ],
  ])("%j is refused", (errors, message) => {
    expect(() => failing({ errors: { table: errorTable(errors as never) } })).toThrow(
      expect.objectContaining({ code: "invalid-definition", message }),
    );
  });

  test("are refused where they are not a table, and checked in servers from contracts, too", () => {
    expect(() => failing({ errors: { table: { TOOL_NOT_FOUND: {} } as never } })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^errors.table: expected errorTable\(/) as string,
      }),
    );
    const errors = errorTable({ TOOL_NOT_FOUND: { code: -32002 } });
    expect(() =>
      defineServer(
        { name: "s", version: "1" },
        {},
        { checks: {}, errors: { table: errors }, revisions: serverRevisions },
      ),
    ).toThrow("errors.table.TOOL_NOT_FOUND.code: -32002 is RESOURCE_NOT_FOUND at 2025-11-25");
  });

  test("leave out what they do not say: the code of the revision, and errors without an override", async () => {
    const errors = errorTable({
      RESOURCE_NOT_FOUND: { message: (uri) => `no ${uri}` },
      TIMEOUT: { code: 7 },
    });
    for (const revision of legacy) {
      const [plain, request] = await Promise.all([
        transports.stdio({}, revision),
        transports.stdio({ errors: { table: errors } }, revision),
      ]);
      const usual = (await plain(...refusedOf("RESOURCE_NOT_FOUND"))).error;
      expect((await request(...refusedOf("RESOURCE_NOT_FOUND"))).error).toEqual({
        ...usual,
        message: "no x://none",
      });
      expect((await request(...refusedOf("TOOL_NOT_FOUND"))).error).toEqual(
        (await plain(...refusedOf("TOOL_NOT_FOUND"))).error,
      );
    }
  });

  test("may use a code of JSON-RPC", () => {
    expect(() =>
      failing({ errors: { table: errorTable({ RESOURCE_NOT_FOUND: { code: -32602 } }) } }),
    ).not.toThrow();
  });
});

function refusedOf(name: keyof RefusalOverrides): [string, Members] {
  const [method, params] = refused[name];
  return [method, params];
}
