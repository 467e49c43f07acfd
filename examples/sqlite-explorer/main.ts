// Lets a model look into an SQLite file: its schema as resources, and a tool for queries that cannot write.
// Usage: node dist/examples/sqlite-explorer/main.js FILE
import "@mcpgen/runtime/stdio-guard";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer, resourceNotFound } from "@mcpgen/runtime";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { Database } from "./database.js";

const [, , file] = process.argv;
if (file === undefined) {
  console.error("Usage: main.js FILE");
  process.exit(2);
}
const database = new Database(file);

const server = createServer(
  { name: "sqlite-explorer", version: "1.0.0" },
  { revisions: serverRevisions, instructions: "Read sqlite:schema before you query." },
);

server.resource("sqlite:schema", { title: "All tables and views", mimeType: "application/sql" }, () =>
  database
    .tables()
    .map(({ sql }) => `${sql};\n`)
    .join(""),
);

server.resourceTemplate(
  "sqlite:schema/{table}",
  {
    title: "One table or view",
    mimeType: "application/sql",
    complete: {
      table: (start) =>
        database
          .tables()
          .map(({ name }) => name)
          .filter((name) => name.startsWith(start)),
    },
  },
  ({ table }, context, uri) => {
    const found = database.tables().find(({ name }) => name === table);
    if (!found) throw resourceNotFound(uri, context);
    return `${found.sql};\n`;
  },
);

server.tool<{ sql: string; limit?: number }>(
  "query",
  {
    description: "Runs one SELECT. Nothing can be changed with it.",
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: "object",
      properties: {
        sql: { type: "string", description: "One query, without a semicolon at its end." },
        limit: { type: "integer", minimum: 1, maximum: 1000 },
      },
      required: ["sql"],
    },
    outputSchema: {
      type: "object",
      properties: { rows: { type: "array", items: { type: "object" } }, truncated: { type: "boolean" } },
      required: ["rows", "truncated"],
    },
  },
  ({ sql, limit = 100 }) => ({ structuredContent: database.query(sql, limit) }),
);

serveStdio(server);
