import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query } from "@anthropic-ai/claude-agent-sdk";

export const framework = {
  package: "@anthropic-ai/claude-agent-sdk",
  lacks: {
    progress: "the framework passes none on",
    restart: "each prompt has its connection",
  },
  async connect({ url, headers, command, args, env }, { onQuestion }) {
    const home = mkdtempSync(join(tmpdir(), "mcpgen-claude-"));
    const trips = url ? { type: "http", url, headers } : { command, args, env };
    return {
      async ask({ model, signal }) {
        const abortController = new AbortController();
        signal?.addEventListener("abort", () => abortController.abort());
        const options = {
          ...{ abortController, cwd: home, settingSources: [], tools: [], maxTurns: 3 },
          ...{ mcpServers: { trips }, allowedTools: ["mcp__trips"], strictMcpConfig: true },
          onElicitation: async (question) => onQuestion(question),
          env: {
            ...{ PATH: process.env.PATH, HOME: home, ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: "none" },
            ...{
              CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
              DISABLE_TELEMETRY: "1",
              ENABLE_TOOL_SEARCH: "false",
            },
          },
        };
        const messages = query({ prompt: "go", options });
        for await (const { type, is_error: isError, result } of messages)
          if (type === "result" && isError) throw new Error(result);
      },
      close: async () => rmSync(home, { recursive: true, force: true }),
    };
  },
};
