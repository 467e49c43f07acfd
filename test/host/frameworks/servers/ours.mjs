// ours.mjs stdio|sessions|stateless|bearer [PORT]: with the settings of new projects.
import "@mcpgen/runtime/stdio-guard";
import { sealedSessions } from "@mcpgen/cluster/sealed-sessions";
import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { nameForm, note, steps, tools } from "../shared/tools.mjs";

const server = createServer({ name: "trips", version: "1.0.0" }, { revisions: serverRevisions });
for (const { name, asks, call, example: _, shows: __, ...definition } of tools)
  server.tool(name, definition, async (args, { ask, progress, signal, revision }) => {
    note(`revision ${revision}`);
    return call(args, {
      signal,
      progress: (step) => progress(step, steps),
      answer: asks && (await ask.elicit("name", nameForm)),
    });
  });

const [mode, port = "0"] = process.argv.slice(2);
if (mode === "stdio") serveStdio(server);
else {
  const authenticate = ({ header }) =>
    header("authorization") === `Bearer ${process.env.FRAMEWORKS_TOKEN}`
      ? { auth: "ada", principal: "ada" }
      : { status: 401, headers: { "www-authenticate": "Bearer" } };
  const sessions = mode !== "stateless" && sealedSessions({ keys: ["a key that each process of it knows"] });
  const { url } = await serveHttp(server, {
    port: Number(port),
    sessions,
    ...(mode === "bearer" && { authenticate }),
  });
  process.send({ url });
  process.once("disconnect", () => process.exit());
}
