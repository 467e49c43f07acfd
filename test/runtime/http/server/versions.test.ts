import { serverRevisions } from "@mcpgen/protocol";
import { type HttpOptions, createHttpHandler } from "@mcpgen/runtime/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { inside } from "../../../support/http-fixture.js";

const all = serverRevisions
  .map(({ id }) => id)
  .sort()
  .reverse();
const old = ["2025-11-25", "2025-06-18"];

type Answer = { readonly status: number; readonly session: string | undefined; readonly body: object };
type Send = (
  message: object | undefined,
  headers?: Record<string, string>,
  method?: string,
) => Promise<Answer>;

function served(speaks: readonly string[], options: HttpOptions = {}): Send {
  const { server } = inside({ revisions: { known: serverRevisions, speaks } });
  const handler = createHttpHandler(server, { keepAliveMs: 0, ...options });
  onTestFinished(() => handler.close());
  return async (message, headers = {}, method = "POST") => {
    const response = await handler.fetch(
      new Request("http://localhost/mcp", {
        method,
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
        ...(message === undefined ? {} : { body: JSON.stringify({ jsonrpc: "2.0", ...message }) }),
      }),
    );
    const session = response.headers.get("mcp-session-id") ?? undefined;
    const text = await response.text();
    return { status: response.status, session, body: text === "" ? {} : (JSON.parse(text) as object) };
  };
}

const list = { id: 1, method: "tools/list" };
const initialize = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

async function opened(send: Send): Promise<Record<string, string>> {
  return { "mcp-session-id": (await send(initialize)).session! };
}

describe("a version that is not served (R27)", () => {
  /** The answers of a server with a separate code for it, and of one without. */
  describe.each([
    ["every revision", all, -32022],
    ["revisions before 2026-07-28", old, -32602],
  ])("by a server of %s", (_, speaks, code) => {
    const typed = (requested: string): object => ({
      status: 400,
      body: { error: { code, data: { supported: speaks, requested } } },
    });
    const versions = ["2099-01-01", "1900-01-01"];

    test.each(versions)("%s in a session", async (version) => {
      const send = served(speaks);
      const session = await opened(send);
      const own = { ...session, "mcp-protocol-version": version };
      expect(await send(list, own)).toMatchObject({ ...typed(version), body: { id: 1 } });
      for (const method of ["GET", "DELETE"])
        expect(await send(undefined, own, method)).toMatchObject(typed(version));
      expect(await send({ method: "notifications/x" }, own)).toMatchObject(typed(version));
      // It ends nothing.
      expect((await send(list, session)).status).toBe(200);
    });

    test.each(versions)("%s only in a header", async (version) => {
      const own = { "mcp-protocol-version": version };
      expect(await served(speaks)(list, own)).toMatchObject(typed(version));
      expect(await served(speaks, { sessions: false })(list, own)).toMatchObject(typed(version));
    });

    test("an invalid version is refused without a list of versions", async () => {
      const send = served(speaks);
      for (const version of ["garbage", "2025-06-18x", "2025-6-18"]) {
        const { status, body } = await send(list, {
          ...(await opened(send)),
          "mcp-protocol-version": version,
        });
        expect([status, body]).toEqual([
          400,
          {
            jsonrpc: "2.0",
            id: 1,
            error: { code: -32600, message: expect.stringContaining(version) as string },
          },
        ]);
      }
    });

    test.each([{}, { sessions: false }])("a handshake negotiates it, with %j", async (options) => {
      const send = served(speaks, options);
      for (const version of ["2099-01-01", "garbage"])
        expect(await send(initialize, { "mcp-protocol-version": version })).toMatchObject({
          status: 200,
          body: { result: { protocolVersion: "2025-11-25" } },
        });
    });

    test("an unknown session is reported first, because the following handshake negotiates the version", async () => {
      const own = { "mcp-session-id": "none", "mcp-protocol-version": "2099-01-01" };
      expect((await served(speaks)(list, own)).status).toBe(404);
      expect(await served(speaks)(list)).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
    });
  });

  test("2026-07-28 before a server of older ones lets a client of both fall back", async () => {
    const own = { "mcp-protocol-version": "2026-07-28" };
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const probe = { id: 1, method: "server/discover", params: { _meta } };
    expect(await served(old)(probe, own)).toMatchObject({
      status: 400,
      body: { error: { code: -32602, data: { supported: old } } },
    });
  });
});
