import { setTimeout as sleep } from "node:timers/promises";
import type { CodeFirstServer } from "@mcpgen/runtime";

const inputSchema = {
  type: "object",
  properties: { pages: { type: "integer", minimum: 1, maximum: 100 } },
  required: ["pages"],
} as const;

const approval = {
  message: "Print the report?",
  requestedSchema: { type: "object", properties: {} },
} as const;

/** Adds a tool that draws pages, asks, and prints them. Its calls go to the queue at once: `inlineMs` is 0. */
export function addReport(server: CodeFirstServer): void {
  server.tool(
    "report",
    { inputSchema, task: { support: "required", inlineMs: 0, onRestart: "replay" } },
    async ({ pages }, { ask, once, progress }) => {
      const drawn: string[] = [];
      for (let page = 1; page <= pages; page++) {
        drawn.push(await once(`page ${page}`, () => draw(page)));
        progress(page, pages, `page ${page} of ${pages}`);
      }
      const { action } = await ask.elicit("approval", approval);
      return `${drawn.join(", ")}: ${action === "accept" ? "printed" : "thrown away"}`;
    },
  );
}

/** Takes its time. */
async function draw(page: number): Promise<string> {
  await sleep(100);
  return `page ${page} by process ${process.pid}`;
}
