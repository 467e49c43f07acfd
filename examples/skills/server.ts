import { skills } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { type HandlerContext, McpError, type Server, createServer, resourceNotFound } from "@mcpgen/runtime";
import { type SkillFolder, contentsOf } from "./skill-folder.js";

const pageSize = 50;

/** Files do not change while the server runs; another one may serve other files a minute later. */
const cache = { ttlMs: 60_000, cacheScope: "public" } as const;

/** The items of a page, and the cursor of the next one. */
function pageOf<Item>(items: readonly Item[], cursor = "0"): { items: Item[]; nextCursor?: string } {
  const start = Number(cursor);
  if (!/^\d{1,9}$/.test(cursor) || start > items.length) throw wrong(`there is no page at ${cursor}`);
  const end = start + pageSize;
  return { items: items.slice(start, end), ...(end < items.length && { nextCursor: String(end) }) };
}

function wrong(message: string): McpError {
  return new McpError("invalid-params", message, { rpcCode: -32602 });
}

/**
 * A server of the skills of a folder.
 *
 * @param directoryRead whether clients may read directories
 */
export function skillServer(folder: SkillFolder, directoryRead: boolean): Server {
  const offered = skills.implement(
    {
      "skills/list": ({ cursor }) => {
        const { items, ...more } = pageOf([...folder.skills.values()], cursor);
        return { skills: items, ...more };
      },
      "skills/get": ({ uri }) => {
        const skill = folder.skills.get(uri);
        if (!skill) throw wrong(`there is no skill ${uri}`);
        return { skill };
      },
      "resources/directory/read": ({ uri, cursor }) => {
        const children = folder.directories.get(uri);
        if (!children) throw wrong(`${uri} is not a directory`);
        const { items, ...more } = pageOf(children, cursor);
        return { resources: items, ...more };
      },
    },
    { settings: directoryRead ? { directoryRead } : {}, cache },
  );

  const server = createServer(
    { name: "skills", version: "1.0.0" },
    { revisions: serverRevisions, extensions: [offered] },
  );

  function read(uri: string, context: HandlerContext) {
    const file = folder.files.get(uri);
    if (!file) throw resourceNotFound(uri, context);
    return { contents: [contentsOf(file)] };
  }

  // `resources/list` has the file that each skill begins with; any other file is read by its URI.
  for (const { uri, frontmatter } of folder.skills.values()) {
    const { name, description } = frontmatter;
    server.resource(uri, { name, description, mimeType: "text/markdown", cache }, read);
  }
  server.resourceTemplate("skill://{+path}", { name: "file of a skill", cache }, (_, context, uri) =>
    read(uri, context),
  );
  return server;
}
