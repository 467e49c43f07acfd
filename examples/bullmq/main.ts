// A server whose tasks run on workers of BullMQ, all with one Redis.
// `node main.js server` prints its URL; `node main.js worker` runs tasks. REDIS is a URL, or the path of a socket.
import { tasks as tasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { redisTaskStore } from "@mcpgen/redis";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { tasks } from "@mcpgen/tasks";
import { Redis } from "ioredis";
import { bullExecutor, bullWorker } from "./executor.js";
import { addReport } from "./report.js";

const connect = () => new Redis(process.env["REDIS"] ?? "redis://localhost", { maxRetriesPerRequest: null });

const taskExtension = tasks(tasksExtension, {
  store: redisTaskStore(connect()),
  keys: [process.env["TASK_KEY"] ?? "a secret that all processes share"],
  executor: bullExecutor({ connection: connect() }),
  leaseMs: Number(process.env["LEASE_MS"] ?? 15_000),
});
const server = createServer(
  { name: "reports", version: "1.0.0" },
  { revisions: serverRevisions, extensions: [taskExtension] },
);
addReport(server);

if (process.argv[2] === "worker") {
  const worker = bullWorker(taskExtension, { connection: connect() });
  await worker.waitUntilReady();
  console.log("ready");
  process.once("SIGTERM", () => {
    // Another worker takes what runs here.
    void taskExtension
      .close()
      .then(() => worker.close())
      .then(() => process.exit());
  });
} else {
  const { url } = await serveHttp(server, { port: Number(process.env["PORT"] ?? 3000), host: "localhost" });
  console.log(url);
}
