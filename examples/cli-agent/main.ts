// An agent at a terminal that logs in to a protected server: the first run opens the browser, later runs ask nothing.
// Usage: node dist/examples/cli-agent/main.js URL [TOOL [ARGUMENTS]]     ARGUMENTS is a JSON object
//        node dist/examples/cli-agent/main.js URL --forget              revokes the tokens, and removes them
import { forgetLogin, oauth } from "@mcpgen/auth/client";
import { keychain, loopback, openBrowser } from "@mcpgen/auth/node";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";

const [url, tool, given = "{}"] = process.argv.slice(2);
if (url === undefined || !URL.canParse(url)) {
  console.error("usage: main.js URL [TOOL [ARGUMENTS] | --forget]");
  process.exit(2);
}

/** Registration shows this name to the user; the stored login is found again by it. */
const client = { name: "cli-agent" };
const store = keychain({ onChoice: (choice) => console.error(`tokens: ${choice}`) });

const authorize = oauth({
  client,
  store,
  redirect: loopback({
    open: async (address, { issuer, scopes }) => {
      console.error(`login at ${issuer}, for ${scopes.join(" ") || "no scopes"}`);
      // On a machine without a browser, the user opens the address elsewhere.
      if (!(await openBrowser(address))) console.error(`open ${address}`);
    },
  }),
});

async function run(server: string): Promise<void> {
  if (tool === "--forget") {
    console.log(await forgetLogin(store, server, { client }));
    return;
  }
  const mcp = await connect(server, {
    revisions: clientRevisions,
    // The user has five minutes for a login, which a call may need as well.
    timeouts: { timeout: 300_000, connect: 300_000 },
    http: { authorize },
  });
  try {
    if (tool === undefined) {
      const { items } = await mcp.listTools();
      for (const { name, description = "" } of items) console.log(`${name}: ${description}`);
    } else {
      const { content } = await mcp.callTool(tool, JSON.parse(given) as Record<string, unknown>);
      for (const part of content) console.log(part.type === "text" ? part.text : `(${part.type})`);
    }
  } finally {
    await mcp.close();
  }
}

try {
  await run(url);
} catch (error) {
  const { message, cause } = error as Error;
  // What went wrong in the login is the cause: an AuthError with a code and the next step.
  console.error(cause instanceof Error ? cause.message : message);
  process.exitCode = 1;
}
