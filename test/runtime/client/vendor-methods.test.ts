import { McpError, type ConnectOptions, connect, memoryChannels } from "@mcpgen/runtime";
import { clientRevisions } from "@mcpgen/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { failureOf } from "../../support/failure-of.js";
import { heard } from "../../support/heard.mjs";
import * as http from "../../support/scripted-http-server.js";
import * as stdio from "../../support/scripted-stdio-server.js";
import { asked, everyWay } from "../../support/asked-client.js";

const eras = ["2025-11-25", "2026-07-28"] as const;
const sumSchema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } as const;

describe.each(eras)("a request of a vendor method (%s)", (revision) => {
  const acmeSum: stdio.Script = {
    "acme/sum": ({ params }, { revision: own }) => ({
      result: {
        ...(own < "2026" ? {} : { resultType: "complete" }),
        sum: params!["a"] + params!["b"],
        _meta: {},
      },
    }),
  };

  test("over stdio, its result is parsed by JSON Schema, or by a library", async () => {
    const { client, peer } = await stdio.connected(revision, acmeSum);
    const { sum } = await client.request("acme/sum", { a: 2, b: 3 }, { result: sumSchema });
    expect(sum).toBe(5);
    const doubled = z.strictObject({
      sum: z.number().transform((each) => each * 2),
      more: z.literal(1).default(1),
    });
    expect(await client.request("acme/sum", { a: 2, b: 3 }, { result: doubled })).toEqual({
      sum: 10,
      more: 1,
    });
    expect(peer.of("acme/sum")[0]!.params).toMatchObject({ a: 2, b: 3 });
  });

  test("over HTTP, it carries the headers of its revision", async () => {
    const { client, server } = await http.connected(revision, {
      "acme/sum": (incoming, own) => incoming.reply(own.result({ sum: 1 })),
    });
    expect(await client.request("acme/sum", {}, { result: {} })).toMatchObject({ sum: 1 });
    const { headers } = server.of("acme/sum")[0]!;
    expect(headers["mcp-protocol-version"]).toBe(revision);
    expect(headers["mcp-method"]).toBe(revision < "2026" ? undefined : "acme/sum");
  });

  test("fails with invalid-result if the schema refuses the result", async () => {
    const { client } = await stdio.connected(revision, {
      "acme/sum": (_, own) => stdio.reply(own, { sum: "5" }),
    });
    for (const result of [sumSchema, z.object({ sum: z.number() })])
      expect(await failureOf(client.request("acme/sum", {}, { result }))).toMatchObject({
        code: "invalid-result",
        message: expect.stringContaining("acme/sum") as string,
      });
  });

  test("is not sent without a schema, nor with one that cannot be read", async () => {
    const { client, peer } = await stdio.connected(revision, acmeSum);
    expect(await failureOf(client.request("acme/sum", {}))).toMatchObject({
      code: "method-not-found",
      message: expect.stringContaining("give the option result") as string,
    });
    const wrong = { result: { type: "nonsense" } };
    expect(await failureOf(client.request("acme/sum", {}, wrong))).toMatchObject({
      code: "invalid-definition",
    });
    expect(peer.of("acme/sum")).toEqual([]);
  });

  test("fails if its result asks for input: only methods of the protocol may ask", async () => {
    const { client } = await stdio.connected(revision, {
      "acme/sum": () => ({ result: { resultType: "input_required", inputRequests: {} } }),
    });
    const failure = await failureOf(client.request("acme/sum", {}, { result: {} }));
    if (revision < "2026") expect(failure).toBeUndefined();
    else expect(failure).toMatchObject({ code: "invalid-result" });
  });
});

test.each(eras)(
  "a result of the protocol is checked by its table first, then by the schema (%s)",
  async (revision) => {
    const { client } = await stdio.connected(revision);
    const result = z.object({ content: z.array(z.unknown()).transform((list) => list.length) });
    expect(await client.request("tools/call", { name: "a" }, { result })).toEqual({ content: 0 });
  },
);

test.each(eras)("a vendor notification is sent and received (%s)", async (revision) => {
  const warnings: string[] = [];
  const { client, peer } = await stdio.connected(
    revision,
    {},
    { onEvent: heard({ warning: (text) => warnings.push(text) }) },
  );
  await client.notify("notifications/acme/seen", { count: 1 });
  expect((await peer.until("notifications/acme/seen")).params).toEqual({ count: 1 });
  // Only the legacy era has it.
  if (revision > "2026")
    expect(await failureOf(client.notify("notifications/roots/list_changed"))).toMatchObject({
      code: "method-not-found",
    });

  const counts: unknown[] = [];
  const params = z.object({ count: z.number().transform((count) => count + 1) });
  const off = client.on("notifications/acme/count", { params }, ({ count }) => void counts.push(count));
  client.on("notifications/acme/count", ({ count }) => void counts.push(count));
  peer.notify("notifications/acme/count", { count: 1 });
  await expect.poll(() => counts).toEqual([1, 2]);
  peer.notify("notifications/acme/count", { count: "x" });
  await expect
    .poll(() => warnings)
    .toEqual([
      expect.stringMatching(/^notifications\/acme\/count is left out: the parameters are wrong: .*count/s),
    ]);
  off();
  peer.notify("notifications/acme/count", { count: 5 });
  await expect.poll(() => counts).toEqual([1, 2, "x", 5]);
});

/** Registers what `prepare` of `connect` gets a client for. */
const prepared = (prepare: NonNullable<ConnectOptions["prepare"]>): Partial<ConnectOptions> => ({ prepare });

describe.each(everyWay)("a vendor request of the server (%s, %s)", (revision, transport) => {
  const question = { method: "acme/confirm", params: { text: "sure?" } };
  const params = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
  // At 2026-07-28 the answers to input requests are those of the protocol.
  const result = z.object({ action: z.enum(["accept", "decline"]) });

  test("is answered by its handler", async () => {
    const { answers, failure } = await asked(
      revision,
      transport,
      [question],
      prepared((client) =>
        client.handle("acme/confirm", { params, result }, ({ text }, { method }) => ({
          action: text === "sure?" && method === "acme/confirm" ? "accept" : "decline",
        })),
      ),
    );
    expect(failure).toBeUndefined();
    expect(answers[0]!.result).toEqual({ action: "accept" });
  });

  test("keeps the _meta of a result that a schema replaces", async () => {
    const { answers } = await asked(
      revision,
      transport,
      [question],
      prepared((client) =>
        client.handle("acme/confirm", { params, result }, () => {
          const answer = { action: "accept" as const, dropped: 1, _meta: { kept: true } };
          return answer;
        }),
      ),
    );
    expect(answers[0]!.result).toEqual({ action: "accept", _meta: { kept: true } });
  });

  test("is answered by the fallback handler, and refused without one", async () => {
    const { answers } = await asked(
      revision,
      transport,
      [question],
      prepared((client) =>
        client.handle("*", (given, { method }) => ({ action: "accept", content: { method, ...given } })),
      ),
    );
    expect(answers[0]!.result).toMatchObject({ content: { method: "acme/confirm", text: "sure?" } });
    const refused = await asked(revision, transport, [question], {});
    if (revision < "2026") expect(refused.answers[0]!.error).toMatchObject({ code: -32601 });
    else expect(refused.failure).toMatchObject({ code: "method-not-found" });
  });

  test("is an error if its parameters or its result are wrong", async () => {
    const outcomes = [
      [{ ...question, params: { text: 3 } }, -32602, /text: expected string/],
      [question, -32603, /the result of the handler is wrong: action/],
    ] as const;
    for (const [each, code, message] of outcomes) {
      const { answers, failure } = await asked(revision, transport, [each], {
        onEvent: () => true,
        ...prepared((client) =>
          client.handle("acme/confirm", { params, result }, () => ({ action: "no" }) as never),
        ),
      });
      const error: unknown = revision < "2026" ? answers[0]!.error : failure;
      expect(error).toMatchObject({ message: expect.stringMatching(message) as string });
      expect((error as { rpcCode?: number }).rpcCode ?? (error as { code: number }).code).toBe(code);
    }
  });
});

test("a request that comes before the end of the handshake finds its handler", async () => {
  let early: Promise<stdio.Wired> | undefined;
  const script: stdio.Script = {
    initialize: (request, peer) => {
      early = peer.ask("acme/early");
      return stdio.standard["initialize"]!(request, peer);
    },
  };
  const prepare: ConnectOptions["prepare"] = (client) =>
    void client.handle("acme/early", () => ({ early: true }));
  await stdio.connected("2025-11-25", script, { prepare });
  expect((await early)!.result).toEqual({ early: true });
});

test("a schema that cannot be read is a warning when it is registered, and an error of the handler", async () => {
  const warnings: string[] = [];
  const errors: unknown[] = [];
  const { client, peer } = await stdio.connected(
    "2025-11-25",
    {},
    {
      onEvent: heard({ warning: (text) => warnings.push(text), handlerError: (error) => errors.push(error) }),
    },
  );
  client.handle("acme/a", { params: { type: "nonsense" } }, () => ({}));
  client.on("notifications/acme/a", { params: 3 as never }, () => undefined);
  await expect
    .poll(() => warnings.toSorted())
    .toEqual([expect.stringMatching(/^acme\/a: params/), "notifications/acme/a: params: expected a schema"]);
  expect((await peer.ask("acme/a", {})).error).toMatchObject({ code: -32603 });
  expect(errors).toEqual([expect.objectContaining({ code: "invalid-definition" })]);
  for (const result of ["x", null] as const)
    expect(await failureOf(client.request("acme/a", {}, { result: result as never }))).toMatchObject({
      code: "invalid-definition",
    });
});

test.each(eras)("a handler takes its turn among the questions of the server (%s)", async (revision) => {
  let running = 0;
  let most = 0;
  const questions = Array.from({ length: 6 }, () => ({ method: "acme/confirm" }));
  const { answers } = await asked(revision, "stdio", questions, {
    limits: { maxQuestions: 2 },
    prepare: (client) =>
      client.handle("*", async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return { action: "accept" };
      }),
  });
  expect([answers.length, most]).toEqual([6, 2]);
});

test("a method has one handler, and functions of connect answer methods of the protocol", async () => {
  const { client } = await stdio.connected("2025-11-25");
  const remove = client.handle("acme/a", () => ({}));
  const failures = [
    () => client.handle("acme/a", () => ({})),
    () => client.handle("elicitation/create", () => ({})),
    () => client.handle("acme/b", {}, undefined as never),
  ];
  for (const each of failures) {
    expect(each).toThrow(McpError);
    expect(each).toThrow(expect.objectContaining({ code: "invalid-definition" }));
  }
  remove();
  client.handle("acme/a", () => ({}));
});

describe.each(eras)("capabilities without a function (%s)", (revision) => {
  const capabilities = { experimental: { acme: { a: 1 } }, extensions: { "com.acme/x": {} } };

  test("are declared in addition to the capabilities of functions", async () => {
    const options: Partial<ConnectOptions> = { capabilities, roots: [] };
    const { client, peer } = await stdio.connected(revision, {}, options);
    await client.callTool("a");
    const declared =
      revision < "2026"
        ? peer.of("initialize")[0]!.params!["capabilities"]
        : peer.of("tools/call")[0]!.params!._meta!["io.modelcontextprotocol/clientCapabilities"];
    expect(declared).toMatchObject({ ...capabilities, roots: {} });
  });
});

test("capabilities that follow from functions are refused", async () => {
  const [near] = memoryChannels();
  const capabilities = { sampling: {} } as never;
  expect(await failureOf(connect(near, { revisions: clientRevisions, capabilities }))).toMatchObject({
    code: "invalid-definition",
    message: expect.stringContaining("capabilities.sampling: there is no such option") as string,
  });
});
