import { spawn } from "node:child_process";
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
    const ended = [];
    /** As the framework starts it; its end is awaited, because it writes into its home until then. */
    const spawnClaudeCodeProcess = ({ command, args, cwd, env, signal }) => {
      const child = spawn(command, args, { cwd, env, signal, stdio: ["pipe", "pipe", "ignore"] });
      ended.push(new Promise((resolve) => child.once("close", resolve)));
      return child;
    };
    return {
      async ask({ model, signal }) {
        const abortController = new AbortController();
        signal?.addEventListener("abort", () => abortController.abort());
        const options = {
          abortController,
          spawnClaudeCodeProcess,
          cwd: home,
          settingSources: [],
          tools: [],
          maxTurns: 3,
          mcpServers: { trips },
          strictMcpConfig: true,
          allowedTools: ["mcp__trips"],
          onElicitation: async (question) => onQuestion(question),
          env: {
            PATH: process.env.PATH,
            HOME: home,
            ANTHROPIC_BASE_URL: model,
            ANTHROPIC_API_KEY: "none",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
            DISABLE_TELEMETRY: "1",
            ENABLE_TOOL_SEARCH: "false",
          },
        };
        const messages = query({ prompt: "go", options });
        for await (const { type, is_error: isError, result } of messages)
          if (type === "result" && isError) throw new Error(result);
      },
      async close() {
        await Promise.all(ended);
        rmSync(home, { recursive: true, force: true });
      },
    };
  },
};
