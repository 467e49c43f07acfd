// The Claude Agent SDK with a protected server.
import { query } from "@anthropic-ai/claude-agent-sdk";

const { MCP_URL = "http://127.0.0.1:3000/mcp", MCP_TOKEN, MODEL_URL } = process.env;

const headers = { authorization: `Bearer ${MCP_TOKEN}` };
const messages = query({
  prompt: "What is the weather in Rome?",
  options: {
    mcpServers: { weather: { type: "http", url: MCP_URL, headers } },
    allowedTools: ["mcp__weather"],
    // Settings and tools of the user's own Claude Code stay out.
    settingSources: [],
    tools: [],
    env: {
      ...process.env,
      ENABLE_TOOL_SEARCH: "false",
      ...(MODEL_URL && { ANTHROPIC_BASE_URL: MODEL_URL, ANTHROPIC_API_KEY: "none" }),
    },
  },
});
for await (const message of messages) {
  if (message.type === "system" && message.subtype === "init") console.log(message.tools);
  if (message.type === "result") console.log("result" in message ? message.result : message.errors);
}
