import { createBridge } from "@mcpgen/bridge";
import { type ServerSession, type Source } from "@mcpgen/runtime";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { expect, onTestFinished, test } from "vitest";
import { serverWith, sourceOf } from "../../support/served.js";

// A server of an earlier revision may log and ask for a call that has ended: the next caller must not get it.

test.each(["auto", "call"] as const)(
  "what a server sends after a call reaches no other caller (share: %s)",
  async (share) => {
    const speaks = serverRevisions.map(({ id }) => id).filter((id) => id < "2026");
    const back = serverWith({ revisions: { known: serverRevisions, speaks }, capabilities: { logging: {} } });
    const late: (() => Promise<unknown>)[] = [];
    back.tool("talk", {}, (_, { session }) => {
      const own = session as ServerSession;
      late.push(async () => {
        own.notify("notifications/message", { level: "error", data: "secret of the first" });
        return own.request("elicitation/create", {
          message: "the PIN of the first?",
          requestedSchema: { type: "object", properties: {} },
        });
      });
      return "done";
    });
    back.tool("wait", {}, async () => {
      const asked = await Promise.allSettled(late.splice(0).map((ask) => ask()));
      return asked.map(({ status }) => status).join();
    });
    const source = () => sourceOf(back, "stdio");
    const bridge = await createBridge({ back: { source: source as Source, share } }, { onEvent: () => true });
    onTestFinished(() => bridge.close());
    const served = await serveHttp(bridge, { port: 0, graceMs: 0 });
    onTestFinished(served.close);
    const heard: unknown[] = [];
    const caller = async () => {
      const client = await connect(served.url, {
        revisions: clientRevisions,
        revision: "2026-07-28",
        logLevel: "debug",
        onEvent: () => true,
        elicit: ({ message }) => {
          heard.push(message);
          return { action: "accept", content: {} };
        },
        prepare: (made) => void made.on("notifications/message", ({ data }) => heard.push(data)),
      });
      onTestFinished(() => client.close());
      return client;
    };
    await (await caller()).callTool("talk");
    expect(await (await caller()).callTool("wait")).toMatchObject({ content: [{ text: "rejected" }] });
    expect(heard).toEqual([]);
  },
);
