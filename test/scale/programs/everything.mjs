// A node with the fixture of the conformance suite, and sealed sessions.
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { addAsking } from "../../../examples/everything-server/asking.js";
import { addContent } from "../../../examples/everything-server/content.js";
import { addPrompts } from "../../../examples/everything-server/prompts.js";
import { addResources } from "../../../examples/everything-server/resources.js";
import { addRounds } from "../../../examples/everything-server/rounds.js";
import { addSchemas } from "../../../examples/everything-server/schemas.js";
import { addStreams } from "../../../examples/everything-server/streams.js";
import { shared } from "./shared.mjs";

const { serverOptions, httpOptions } = await shared();
const server = createServer(
  { name: "everything-server", title: "Everything", version: "1.0.0" },
  { revisions: serverRevisions, capabilities: { logging: {} }, ...serverOptions },
);
for (const add of [addContent, addStreams, addAsking, addRounds, addSchemas, addResources, addPrompts])
  add(server);
const { port } = await serveHttp(server, { port: 0, host: "localhost", ...httpOptions });
process.send({ port });
process.once("disconnect", () => process.exit());
