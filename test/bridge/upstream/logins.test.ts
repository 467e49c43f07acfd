import { createBridge } from "@mcpgen/bridge";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { expect, onTestFinished, test } from "vitest";
import { cases } from "../../support/cases.mjs";
import { eras, serverWith } from "../../support/served.js";

// Each caller of a bridge has a login at the server.

const callers = 16;
const pairs = eras.flatMap((front) => eras.map((back) => [front, back] as const));

test.each(pairs)(
  "each caller has its token at the server: clients of %s, a server at %s",
  async (front, era) => {
    const calls = cases(50, 5);
    const back = serverWith();
    back.tool("token", {}, (_, { headers }) => headers["authorization"]!);
    back.resource("mem:token", { name: "token" }, (_, { headers }) => headers["authorization"]!);
    const served = await serveHttp(back, { port: 0, graceMs: 0, contextHeaders: ["authorization"] });
    onTestFinished(served.close);
    const authorize = (principal: string) => () => ({ authorization: `Bearer at-the-server-${principal}` });
    const bridge = await createBridge(
      { back: { source: served.url, revision: era, authorize } },
      { onEvent: () => true },
    );
    onTestFinished(() => bridge.close());
    const entry = await serveHttp(bridge, {
      port: 0,
      graceMs: 0,
      authenticate: ({ header }) => ({ principal: header("authorization")!.replace("Bearer of-", "") }),
    });
    onTestFinished(entry.close);
    const wrong: unknown[] = [];
    const call = async (_: unknown, index: number): Promise<void> => {
      const headers = { authorization: `Bearer of-${index}` };
      const options = { revisions: clientRevisions, revision: front, onEvent: () => true, http: { headers } };
      const client = await connect(entry.url, options);
      onTestFinished(() => client.close());
      for (let made = 0; made < calls; made++) {
        const { content } = await client.callTool("token");
        const { contents } = await client.readResource("mem:token");
        for (const [given] of [content, contents] as unknown as [{ text: string }][])
          if (given.text !== `Bearer at-the-server-${index}`) wrong.push([index, given.text]);
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
    expect(wrong).toEqual([]);
  },
);
