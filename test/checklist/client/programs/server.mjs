// A server of one kind, named by the first argument. It notes in the file of the second that it was started, and
// each message that it reads.
import { appendFileSync, openSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";

const [kind, log] = process.argv.slice(2);
const note = (what) => appendFileSync(log, `${JSON.stringify(what)}\n`);
note({ started: process.pid });

// A second process at the same time finds it locked.
if (kind === "locked") {
  openSync(`${log}.lock`, "wx");
  process.on("exit", () => rmSync(`${log}.lock`));
}

const serverInfo = { name: kind, version: "1" };
const capabilities = { tools: {} };
const modern = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
const answers = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities, serverInfo }),
  "tools/call": () => ({ ...(kind === "modern" ? modern : {}), content: [{ type: "text", text: kind }] }),
  ...(kind === "modern"
    ? { "server/discover": () => ({ ...modern, supportedVersions: ["2026-07-28"], capabilities }) }
    : {}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  note({ method });
  if (id === undefined) return;
  const answer = answers[method];
  if (!answer && kind === "silent") return;
  if (!answer && kind === "mortal") process.exit(1);
  const rest = answer ? { result: answer() } : { error: { code: -32601, message: "Method not found" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...rest })}\n`);
});
