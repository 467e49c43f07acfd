// Serves a folder: its files as resources that clients can watch, and a tool that asks for the client's roots.
// Files of more than 1 MiB are listed, and reading one is refused.
// Usage: node dist/examples/files/main.js FOLDER
import "@mcpgen/runtime/stdio-guard";
import { pathToFileURL } from "node:url";
import { serverRevisions } from "@mcpgen/protocol/server";
import {
  type HandlerContext,
  McpError,
  type Registration,
  createServer,
  isInsideRoots,
  resourceNotFound,
} from "@mcpgen/runtime";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { Folder, contentsOf, mostBytes } from "./folder.js";

const folder = await Folder.at(process.argv[2] ?? ".");
const base = pathToFileURL(folder.path).href;
const uriOf = (name: string) => `${base}/${encodeURIComponent(name)}`;

const server = createServer({ name: "files", version: "1.0.0" }, { revisions: serverRevisions });

async function read(path: string, uri: string, context: HandlerContext) {
  const bytes = await folder.read(path);
  if (!bytes) throw resourceNotFound(uri, context);
  if (bytes.length > mostBytes) {
    const message = `${uri} is too large: at most ${mostBytes} bytes of a file are served`;
    throw new McpError("internal-error", message, { rpcCode: -32603, data: { uri } });
  }
  return { contents: [contentsOf(uri, bytes)] };
}

// Any file below the folder can be read …
server.resourceTemplate(`${base}/{+path}`, { name: "file" }, ({ path = "" }, context, uri) =>
  read(path, uri, context),
);

// … and those directly in it are listed.
const listed = new Map<string, Registration>();

function list(name: string): void {
  listed.set(
    name,
    server.resource(uriOf(name), { name }, (uri, context) => read(name, uri, context)),
  );
}

// Registering and removing notifies clients that the list has changed. A changed file needs its own notification.
await folder.follow(async (changed) => {
  const names = new Set(await folder.names());
  for (const [name, registration] of listed) {
    if (names.has(name)) continue;
    registration.remove();
    listed.delete(name);
  }
  for (const name of names) if (!listed.has(name)) list(name);
  if (changed !== undefined) server.resourceUpdated(uriOf(changed));
});

server.tool(
  "relevant_files",
  {
    description: "The files that lie in the folders the user works in.",
    annotations: { readOnlyHint: true },
  },
  async (_, { ask }) => {
    const roots = await ask.roots("roots");
    return [...listed.keys()]
      .map(uriOf)
      .filter((uri) => isInsideRoots(uri, roots))
      .join("\n");
  },
);

serveStdio(server);
