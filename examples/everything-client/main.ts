// A client that does what the public conformance suite asks: `main.js URL`, with the scenario in the environment.
import { clientRevisions } from "@mcpgen/protocol/client";
import { skills } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/client";
import { type Client, type ConnectOptions, connect } from "@mcpgen/runtime";
import { type Credentials, authorizerFor, revisionOf } from "./authorization.js";
import { fillDefaults } from "./form.js";
import { scenarios } from "./scenarios.js";

const url = process.argv.at(-1)!;
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "tools_call";
const revision = revisionOf(scenario) ?? process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"];
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Credentials & {
  toolCalls?: [];
};
const authorize = await authorizerFor(scenario, context, url);

const options: ConnectOptions = {
  revisions: clientRevisions,
  extensions: [skills],
  ...(revision === undefined ? {} : { revision }),
  info: { name: "everything-client", version: "1.0.0" },
  elicit: ({ requestedSchema }) => ({ action: "accept", content: fillDefaults(requestedSchema) }),
  sample: () => ({ role: "assistant", model: "none", content: { type: "text", text: "Paris" } }),
  roots: [{ uri: "file:///project" }],
  ...(authorize && { http: { authorize } }),
};

const client: Client = await connect(url, options);
try {
  await (scenarios[scenario] ?? scenarios["everything"]!)(client, context);
} finally {
  await client.close();
}
