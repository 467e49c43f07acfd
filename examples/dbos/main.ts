// A server whose tasks run on workers of DBOS, all with one PostgreSQL.
// `node main.js server` prints its URL; `node main.js worker` runs tasks. POSTGRES is the URL of a database.
import { DBOS } from "@dbos-inc/dbos-sdk";
import { createTaskTable, postgresTaskStore } from "@mcpgen/postgres";
import { tasks as tasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { tasks } from "@mcpgen/tasks";
import { Pool } from "pg";
import { dbosExecutor, dbosWorker } from "./executor.js";
import { addReport } from "./report.js";

const systemDatabaseUrl = process.env["POSTGRES"] ?? "postgresql://localhost/postgres";
const pool = new Pool({ connectionString: systemDatabaseUrl });
pool.on("error", (error) => console.error(error));
await createTaskTable(pool);

const taskExtension = tasks(tasksExtension, {
  store: postgresTaskStore(pool),
  keys: [process.env["TASK_KEY"] ?? "a secret that all processes share"],
  executor: await dbosExecutor({ systemDatabaseUrl }),
  leaseMs: Number(process.env["LEASE_MS"] ?? 15_000),
});
const server = createServer(
  { name: "reports", version: "1.0.0" },
  { revisions: serverRevisions, extensions: [taskExtension] },
);
addReport(server);

if (process.argv[2] === "worker") {
  await dbosWorker(taskExtension, { systemDatabaseUrl });
  console.log("ready");
  process.once("SIGTERM", () => {
    // Another worker takes what runs here.
    void taskExtension
      .close()
      .then(() => DBOS.shutdown())
      .then(() => process.exit());
  });
} else {
  const { url } = await serveHttp(server, { port: Number(process.env["PORT"] ?? 3000), host: "localhost" });
  console.log(url);
}
