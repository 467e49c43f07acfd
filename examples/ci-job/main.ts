// A job in CI that calls a protected server without any stored secret: the platform vouches for the job by a signed token
// (workload identity), and the authorization server gives an access token for it.
// Usage: MCP_URL=… MCP_ISSUER=… node dist/examples/ci-job/main.js
import { workloadIdentity } from "@mcpgen/auth/client";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";

const {
  MCP_URL: url,
  MCP_ISSUER: issuer,
  ACTIONS_ID_TOKEN_REQUEST_URL: requestUrl,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
  GITHUB_REPOSITORY: repository = "a repository",
  GITHUB_RUN_ID: run = "0",
} = process.env;

if (url === undefined || issuer === undefined) {
  console.error("set MCP_URL, the server, and MCP_ISSUER, its authorization server");
  process.exit(2);
}
if (requestUrl === undefined || requestToken === undefined) {
  console.error("this job has no identity: write `permissions: id-token: write` into the workflow");
  process.exit(2);
}

/** The identity of this job, as a JWT for the authorization server alone. It is valid for minutes, so each is new. */
async function assertion(): Promise<string> {
  const address = new URL(requestUrl!);
  address.searchParams.set("audience", issuer!);
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${requestToken}` },
    redirect: "error",
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`the platform gives no identity: ${response.status}`);
  return ((await response.json()) as { value: string }).value;
}

try {
  const client = await connect(url, {
    revisions: clientRevisions,
    // With `issuer`, no other authorization server gets the identity, whatever the server says.
    http: { authorize: workloadIdentity({ issuer, assertion, scopes: ["notes", "notes:write"] }) },
  });
  try {
    await client.callTool("add_note", { text: `${repository}: run ${run} has ended` });
    const { content } = await client.callTool("list_notes", {});
    for (const part of content) if (part.type === "text") console.log(part.text);
  } finally {
    await client.close();
  }
} catch (error) {
  const { message, cause } = error as Error;
  // What went wrong in the authorization is the cause.
  console.error(cause instanceof Error ? cause.message : message);
  process.exitCode = 1;
}
