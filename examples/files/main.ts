// Serves a folder: its files as resources that clients can watch, and a tool that asks for the client's roots.
// Usage: node dist/examples/files/main.js FOLDER
import "@mcpgen/runtime/stdio-guard";
import { pathToFileURL } from "node:url";
import { serverRevisions } from "@mcpgen/protocol/server";
import { type Registration, createServer, isInsideRoots, resourceNotFound } from "@mcpgen/runtime";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { Folder, contentsOf } from "./folder.js";

const folder = await Folder.at(process.argv[2] ?? ".");
const base = pathToFileURL(folder.path).href;
const uriOf = (name: string) => `${base}/${encodeURIComponent(name)}`;

const server = createServer({ name: "files", version: "1.0.0" }, { revisions: serverRevisions });

// Any file below the folder can be read …
server.resourceTemplate(`${base}/{+path}`, { name: "file" }, async ({ path = "" }, context, uri) => {
  const bytes = await folder.read(path);
  if (!bytes) throw resourceNotFound(uri, context);
  return { contents: [contentsOf(uri, bytes)] };
});

// … and those directly in it are listed.
const listed = new Map<string, Registration<unknown>>();

function list(name: string): void {
  const registration = server.resource(uriOf(name), { name }, async (uri, context) => {
    const bytes = await folder.read(name);
    if (!bytes) throw resourceNotFound(uri, context);
    return { contents: [contentsOf(uri, bytes)] };
  });
  listed.set(name, registration);
}

// Registering and removing tells clients that the list has changed; that a file has, we say ourselves.
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
