import { createServer } from "node:http";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { stdioClientChannel } from "@mcpgen/runtime/stdio";
import { expect, onTestFinished, test } from "vitest";
import { clientRows } from "../../support/auth/rows.js";
import { listen } from "../../support/listen.js";
import { revisionsMarked } from "../../support/revision-marks.js";

/** A server that wants a token in its environment. Without the token, it answers as a server over HTTP would. */
const program = `
  const { createInterface } = require("node:readline");
  const { API_TOKEN, METADATA, REVISION } = process.env;
  const capabilities = { tools: {} };
  const serverInfo = { name: "s", version: "1" };
  const meta = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const data = { status: 401, "www-authenticate": 'Bearer resource_metadata="' + METADATA + '"' };
    const error = { code: -32001, message: "401 Unauthorized: " + data["www-authenticate"], data };
    const result = method === "initialize"
      ? { protocolVersion: REVISION, capabilities, serverInfo }
      : { supportedVersions: [REVISION], capabilities, tools: [], ...meta };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(API_TOKEN === "a token" ? { result } : { error }) }));
  });
`;

test.each(revisionsMarked(clientRows["AUTHC-14"]))(
  "AUTHC-14 client: over stdio there is no OAuth; credentials come from the environment (%s)",
  async (revision) => {
    let requests = 0;
    const http = createServer((_, response) => (requests++, response.writeHead(404).end()));
    onTestFinished(() => void http.close());
    const METADATA = `http://127.0.0.1:${await listen(http)}/meta`;
    const open = async (env: Record<string, string>): Promise<unknown> => {
      const channel = (): ReturnType<typeof stdioClientChannel> =>
        stdioClientChannel([process.execPath, "-e", program], {
          env: { METADATA, REVISION: revision, ...env },
        });
      const client = await connect(channel, { revisions: clientRevisions, revision });
      onTestFinished(() => client.close());
      return client.listTools();
    };
    await expect(open({})).rejects.toThrow(/401 Unauthorized|remote-error|no revision/);
    await expect(open({ API_TOKEN: "a token" })).resolves.toMatchObject({ items: [] });
    expect(requests).toBe(0);
  },
);
