import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { expect, onTestFinished, test, vi } from "vitest";
import { scripted } from "../../../support/scripted-http-server.js";

const modern = "2026-07-28";

test("a failing authorize is called once, and its error is reported", async () => {
  const cause = new Error("the user closed the window");
  const server = await scripted(modern, {
    "server/discover": (incoming) => incoming.status(401, "", { "www-authenticate": "Bearer" }),
  });
  for (const answers of [0, 1]) {
    let asked = 0;
    const authorize = vi.fn(async () => {
      if (asked++ === answers) throw cause;
      return {};
    });
    const connecting = connect(server.url, { revisions: clientRevisions, http: { authorize } });
    onTestFinished(() => connecting.then((client) => client.close()).catch(() => undefined));
    await expect(connecting).rejects.toMatchObject({ code: "authorize-failed", cause });
    expect(authorize).toHaveBeenCalledTimes(answers + 1);
  }
});

test("a URL may have upper-case letters, or be a URL object", async () => {
  const server = await scripted(modern);
  for (const source of [new URL(server.url), server.url.replace("http:", "HTTP:")]) {
    const client = await connect(source, { revisions: clientRevisions });
    expect(client.revision).toBe(modern);
    await client.close();
  }
});
