// A client that is there before its server: late.mjs URL. Prints what it is about to do, then the report.
import { clientRevisions } from "@mcpgen/protocol/client";
import { connect } from "@mcpgen/runtime";

const [url] = process.argv.slice(2);
console.log("connecting");
const outcome = await connect(url, { revisions: clientRevisions })
  .then(async (client) => {
    await client.callTool("echo", { text: "late" });
    await client.close();
    return null;
  })
  .catch((error) => String(error));
console.log(JSON.stringify({ "a server that starts late is waited for": outcome }));
