import { beforeEach, describe, expect, test, vi } from "vitest";
import { connected } from "../../../support/scripted-http-server.js";
import { fetching, never, resultOf } from "./fetched.js";

test("an abandoned request is not read after its cancellation was sent", async () => {
  const { server, client } = await connected("2025-11-25", { "tools/call": () => undefined });
  const controller = new AbortController();
  const call = client.callTool("slow", {}, { signal: controller.signal });
  await server.until("tools/call");
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: "cancelled" });
  await server.of("tools/call")[0]!.closed;
  expect(server.of("notifications/cancelled")).toHaveLength(1);
});

describe("without a network, with fake timers", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));

  /** How often each was sent. */
  const names = (sent: readonly { readonly name: string }[]): string[] => sent.map(({ name }) => name);

  test("a cancellation that the server does not accept does not delay requests", async () => {
    const { client, sent } = await fetching({
      "notifications/cancelled": never,
      "tools/call": (request) =>
        request.message!.params!["name"] === "slow" ? never(request) : resultOf(request, { content: [] }),
    });
    const slow = client.callTool("slow", {}, { timeout: 20 }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(20);
    expect(await slow).toMatchObject({ code: "timeout" });
    expect((await client.callTool("x")).content).toEqual([]);
    const { signal } = sent.find(({ name }) => name === "tools/call")!;
    expect(signal.aborted).toBe(false);
    // The answer is not read, whether or not the server gets a notification.
    await vi.advanceTimersByTimeAsync(2000);
    expect(signal.aborted).toBe(true);
  });

  test("requests wait at most two seconds for the end of the handshake", async () => {
    const { client, sent } = await fetching({ "notifications/initialized": never });
    const call = client.callTool("x");
    await vi.advanceTimersByTimeAsync(1990);
    expect(names(sent)).toEqual(["initialize", "notifications/initialized"]);
    await vi.advanceTimersByTimeAsync(20);
    expect((await call).content).toEqual([]);
    const closing = client.close();
    await vi.advanceTimersByTimeAsync(0);
    await closing;
    expect(names(sent).at(-1)).toBe("DELETE");
    expect(sent[1]!.signal.aborted).toBe(true);
  });

  test("a notification waits at most two seconds for the previous one", async () => {
    const { client, sent } = await fetching({ "notifications/roots/list_changed": never }, { roots: [] });
    await vi.advanceTimersByTimeAsync(0);
    for (let change = 0; change < 3; change++) await client.rootsChanged();
    await vi.advanceTimersByTimeAsync(1990);
    const changes = (): number => names(sent).filter((name) => name.includes("roots")).length;
    expect(changes()).toBe(1);
    // Notifications that have waited as long as the first must not wait one after the other.
    await vi.advanceTimersByTimeAsync(20);
    expect(changes()).toBe(3);
    const closing = client.close();
    await vi.advanceTimersByTimeAsync(2000);
    await closing;
  });

  test("it does not wait for a response that the server does not accept", async () => {
    const { client, sent } = await fetching(
      {
        response: never,
        "tools/call": ({ message }) => {
          const ask = { jsonrpc: "2.0", id: 7, method: "roots/list" };
          const answer = { jsonrpc: "2.0", id: message!.id, result: { content: [] } };
          const events = [ask, answer].map((each) => `data: ${JSON.stringify(each)}\n\n`).join("");
          return new Response(events, { headers: { "content-type": "text/event-stream" } });
        },
      },
      { roots: [] },
    );
    await client.callTool("x");
    await vi.advanceTimersByTimeAsync(0);
    await client.rootsChanged();
    await vi.advanceTimersByTimeAsync(0);
    expect(names(sent).slice(-2)).toEqual(["response", "notifications/roots/list_changed"]);
    await client.close();
  });

  test("closing does not wait for `authorize`, and aborts its signal", async () => {
    const signals: AbortSignal[] = [];
    let hangs = false;
    const { client, sent } = await fetching(
      {},
      {
        http: {
          authorize: (_, signal) => {
            signals.push(signal);
            return hangs ? new Promise(() => undefined) : {};
          },
        },
      },
    );
    await client.callTool("x");
    hangs = true;
    const before = sent.length;
    const call = client.callTool("x").catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(0);
    const closing = client.close();
    await vi.advanceTimersByTimeAsync(2000);
    await closing;
    expect(await call).toMatchObject({ code: "connection-closed" });
    expect(signals.slice(-2).map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(sent.length).toBe(before);
  });

  test("an aborted request is not sent after its authorization", async () => {
    let grant = (): void => undefined;
    let hangs = false;
    const { client, sent } = await fetching(
      {},
      {
        http: {
          authorize: () => (hangs ? new Promise((resolve) => (grant = () => resolve({}))) : {}),
        },
      },
    );
    await client.callTool("x");
    hangs = true;
    const call = client.callTool("y", {}, { timeout: 50 }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(50);
    expect(await call).toMatchObject({ code: "timeout" });
    // The cancellation waits for its own authorization, and then aborts the request finally.
    await vi.advanceTimersByTimeAsync(2000);
    grant();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.filter(({ message }) => message?.params?.["name"] === "y")).toEqual([]);
    const closing = client.close();
    await vi.advanceTimersByTimeAsync(2000);
    await closing;
  });
});
