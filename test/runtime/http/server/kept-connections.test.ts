import { serveHttp } from "@mcpgen/runtime/http";
import { expect, onTestFinished, test } from "vitest";
import { inside } from "../../../support/http-fixture.js";

test("a connection is kept longer than proxies in front keep theirs (60 s with most)", async () => {
  const { node, close } = await serveHttp(inside().server, { port: 0 });
  onTestFinished(close);
  expect(node.keepAliveTimeout).toBeGreaterThan(60_000);
});
