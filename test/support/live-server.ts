import { onTestFinished } from "vitest";
import { createServer } from "@mcpgen/runtime";
import { createNodeHandler } from "@mcpgen/runtime/http";
import { serverRevisions } from "@mcpgen/protocol/server";
import { temporaryFolder } from "./temporary-folder.js";
import { loopback } from "./listen.js";

export type LiveServer = ReturnType<typeof createServer>;

/** Serves one of our servers on this machine. Returns the SOURCE that names it. */
export async function serve(server: LiveServer): Promise<string> {
  const handler = createNodeHandler(server);
  onTestFinished(() => void handler.close());
  return `${await loopback(handler)}/mcp`;
}

export function newServer(name = "weather", version = "1.0.0"): LiveServer {
  return createServer({ name, version }, { revisions: serverRevisions });
}

/** The answers of a handwritten server by method. A function gets the params. */
export type Answers = Readonly<Record<string, unknown>>;

/**
 * Makes a server in a separate process that answers from a table, at the oldest revision. Returns the SOURCE that
 * names it. `{ error: { code, message } }` answers with an error; a list of lists is a list of pages.
 */
export function scripted(answers: Answers, before = ""): string {
  const folder = temporaryFolder({
    "server.mjs": `${before}
const answers = ${JSON.stringify(answers)};
let rest = "";
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const line of lines) answer(JSON.parse(line));
});
function answer({ id, method, params }) {
  if (id === undefined) return;
  const found = answers[method];
  const page = found?.pages?.[Number(params?.cursor ?? 0)];
  const body =
    found === undefined
      ? { error: { code: -32601, message: "there is no method " + method } }
      : found.error
        ? { error: found.error }
        : { result: page ?? found };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...body }) + "\\n");
}
`,
  });
  return `stdio:node "${folder}/server.mjs"`;
}

/** The answer of a scripted server to \`initialize\`. */
export function initialized(capabilities: object, more: object = {}): object {
  return {
    protocolVersion: "2024-11-05",
    serverInfo: { name: "scripted", version: "1" },
    capabilities,
    ...more,
  };
}
