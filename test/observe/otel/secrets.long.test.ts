import { SpanKind, context, propagation, trace } from "@opentelemetry/api";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { connect, createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { instrument, instrumentation } from "@mcpgen/observe/otel";
import { describe, expect, test } from "vitest";
import { revisions } from "../../support/revisions.js";
import { telemetry, useOpenTelemetry } from "./telemetry.js";
import { heard } from "../../support/heard.mjs";

useOpenTelemetry();

/** A text that stands nowhere else. */
const secret = (name: string): string => `SECRET-${name}`;

function vault() {
  const server = createServer(
    { name: "vault", version: "1.0.0" },
    { revisions: serverRevisions, onEvent: () => true, capabilities: { logging: {} } },
  );
  const properties = { pin: { type: "number" }, note: { type: "string" } } as const;
  server.tool(
    "open",
    { inputSchema: { type: "object", properties } },
    async ({ note }, { ask, progress, log }) => {
      progress(1, 2, secret("progress"));
      log("error", secret("log"));
      const form = {
        message: secret("message"),
        requestedSchema: { type: "object", properties: { name: { type: "string" } } },
      } as const;
      const answer = await ask.elicit("who", form).catch(() => undefined);
      return `${secret("result")} ${note} ${JSON.stringify(answer)}`;
    },
  );
  const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
  server.tool("wrong", { outputSchema }, () => ({ n: secret("wrong-result") }) as never);
  const pin = { type: "object", properties: { pin: { type: "number" } }, required: ["pin"] } as const;
  server.prompt("asks", {}, async (_, { ask }) => {
    return JSON.stringify(await ask.elicit("pin", { message: "Which pin?", requestedSchema: pin }));
  });
  server.tool("throw", {}, () => {
    throw new Error(secret("thrown"));
  });
  server.prompt("hello", { arguments: [{ name: "to" }] }, ({ to }) => `${secret("prompt")} ${to}`);
  server.resource(`note://one?key=${secret("query")}#${secret("fragment")}`, { name: "one" }, () =>
    secret("content"),
  );
  return server;
}

/** All bytes that exporters would get. */
async function exportedBy({ spans, points }: ReturnType<typeof telemetry>): Promise<string> {
  const shown = spans().map(({ name, kind, attributes, events, links, status, resource }) => ({
    ...{ name, kind, attributes, events, links, status },
    resource: resource.attributes,
  }));
  expect(shown.length).toBeGreaterThan(7);
  return JSON.stringify([shown, await points()]);
}

describe.each(revisions)("at %s", (revision) => {
  test.each([false, true])("spans and measurements hold no secret; ids of sessions: %s", async (sessions) => {
    const telemetries = [telemetry(), telemetry()] as const;
    const server = vault();
    const sessionIds: string[] = [];
    server.onEvent(({ sessionId }) => sessionId !== undefined && sessionIds.push(sessionId));
    instrument(server, { ...telemetries[0].options, sessions });
    const http = await serveHttp(server, { port: 0 });
    const bodies: string[] = [];
    const { use, onEvent } = instrumentation({ ...telemetries[1].options, sessions });
    const client = await connect(`${http.url}?token=${secret("url")}`, {
      revisions: clientRevisions,
      revision,
      use,
      onEvent: heard({ event: onEvent }),
      elicit: () => ({
        action: "accept",
        content: { name: secret("elicited"), pin: secret("wrong-answer") },
      }),
      http: {
        headers: { authorization: `Bearer ${secret("token")}` },
        fetch: (url, init) => {
          bodies.push(String(init?.body));
          return fetch(url, init);
        },
      },
    });
    const baggage = propagation.createBaggage({ user: { value: secret("baggage") } });
    const active = propagation.setBaggage(context.active(), baggage);
    const quietly = (call: Promise<unknown>): Promise<unknown> => call.catch(() => undefined);
    await context.with(active, async () => {
      await quietly(client.callTool("open", { note: secret("argument") }, { onProgress: () => {} }));
      await quietly(client.callTool("open", { pin: secret("wrong-argument"), [secret("member")]: 1 }));
      await quietly(client.callTool("throw"));
      await quietly(client.callTool("wrong"));
      await quietly(client.getPrompt("asks"));
      await quietly(client.readResource(`note://$&?key=${secret("pattern")}`));
      await quietly(client.getPrompt("hello", { to: secret("prompt-argument") }));
      await quietly(client.getPrompt("hello", { to: 7, [secret("prompt-member")]: secret("more") } as never));
      await quietly(client.readResource(`note://one?key=${secret("query")}#${secret("fragment")}`));
      await quietly(client.readResource(`note://absent?key=${secret("absent")}`));
      await quietly(
        client.complete({
          ref: { type: "ref/prompt", name: "hello" },
          argument: { name: "to", value: secret("typed") },
        }),
      );
    });
    await client.close();
    await http.close();
    const states = bodies.flatMap((body) => /"requestState":"([^"]+)"/.exec(body)?.[1] ?? []);
    // The test would find them: they were sent, baggage as well.
    const sent = bodies.join();
    for (const name of ["argument", "elicited", "baggage", "query"])
      if (name !== "elicited" || revision >= "2025-06-18") expect(sent).toContain(secret(name));
    if (revision === "2026-07-28") expect(states.length).toBeGreaterThan(0);
    else expect(sessionIds.length).toBeGreaterThan(0);
    for (const each of telemetries) {
      const text = await exportedBy(each);
      expect(text.match(/.{60}SECRET-[\w-]+/g) ?? []).toEqual([]);
      for (const state of states) expect(text).not.toContain(state);
      const ids = sessionIds.filter((id) => text.includes(id));
      expect(ids.length > 0).toBe(sessions && sessionIds.length > 0 && each === telemetries[0]);
      if (!sessions) for (const id of sessionIds) expect(text).not.toContain(id);
    }
    const [measured] = [await telemetries[0].points()];
    for (const id of sessionIds) expect(JSON.stringify(measured)).not.toContain(id);
  });
});

test("baggage of a client reaches the handler, and no span", async () => {
  const at = telemetry();
  const server = vault();
  let read: string | undefined;
  server.tool("read", {}, () => {
    read = propagation.getActiveBaggage()?.getEntry("user")?.value;
    return "read";
  });
  instrument(server, at.options);
  const http = await serveHttp(server, { port: 0 });
  const client = await connect(http.url, { revisions: clientRevisions });
  const _meta = { baggage: `user=${secret("baggage")}` };
  await client.request("tools/call", { name: "read", arguments: {}, _meta } as never);
  await client.close();
  await http.close();
  expect(read).toBe(secret("baggage"));
  const span = at.spans().find(({ kind, name }) => kind === SpanKind.SERVER && name === "tools/call read")!;
  expect(trace.isSpanContextValid(span.spanContext())).toBe(true);
  expect(JSON.stringify([span.name, span.attributes, span.events])).not.toContain("SECRET");
});
