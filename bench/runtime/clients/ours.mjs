import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { stdioClientChannel } from "@mcpgen/runtime/stdio";
import { revision, serveCalls, server } from "./calls.mjs";

const client = await connect(() => stdioClientChannel([process.execPath, server, "--stdio"]), {
  revisions: clientRevisions.filter(({ id }) => id === revision),
});
await serveCalls(
  ({ name, arguments: input }) => client.callTool(name, input),
  () => client.close(),
);
