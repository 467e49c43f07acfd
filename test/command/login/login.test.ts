// The shortest way through each part; the other tests of this folder belong to the long run.
import { expect, test } from "vitest";
import { protectedServer } from "./protected-server.js";

const client = { id: "ci", secret: "the-secret-of-ci" };

test("without credentials a command ends with 4; with credentials of the environment it runs", async () => {
  const { as, url, run } = await protectedServer({ clients: [client] }, ["files:read"]);
  const { code, stdout } = await run(["call", url, "echo", "--json"]);
  expect(code).toBe(4);
  const authorization = { issuer: as.issuer, resource: url, scopes: ["files:read"] };
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: "MG4106", authorization } });
  const env = { MCPGEN_ISSUER: as.issuer, MCPGEN_CLIENT_ID: client.id, MCPGEN_CLIENT_SECRET: client.secret };
  expect(await run(["call", url, "echo"], env)).toMatchObject({ code: 0, stdout: "echoed\n", stderr: "" });
});
