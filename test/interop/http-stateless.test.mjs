// Our server without sessions immediately refuses requests of legacy clients that need a session.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { textOf } from "./behaviours.mjs";
import { clients, httpClients, legacy, oursOverHttp } from "./peers.mjs";
import { started } from "./started.mjs";
import { hang as timeout } from "../support/until.mjs";

const { "@ai-sdk/mcp": aiSdk } = httpClients;
const asking = { name: "elicitation.form", visit: "elicitation.url", sample: "sampling", roots: "roots" };
const without = Object.entries(oursOverHttp).filter(([name]) => name.endsWith("no sessions"));

for (const [client, { module }] of Object.entries({ ...clients, "@ai-sdk/mcp": aiSdk }))
  for (const [name, { command }] of without)
    describe(`client ${client}, server ${name}`, () => {
      let server;
      let session;
      before(async () => {
        const { connect } = await import(module);
        server = await started(command);
        session = await connect(server.url, legacy.at(-1));
      });
      after(async () => {
        await session?.close();
        await server?.close();
      });
      for (const [tool, asked] of Object.entries(asking))
        test(`the tool ${tool}, which asks the client, fails`, { timeout }, async () => {
          const result = await session.call(tool);
          assert.equal(result.isError, true);
          assert.match(
            textOf(result),
            new RegExp(`^the client cannot be asked for ${asked}: .* need a session`),
          );
        });
      test("and still serves afterwards", { timeout }, async () => {
        assert.equal(textOf(await session.call("echo", { message: "hello" })), "hello");
      });
    });
