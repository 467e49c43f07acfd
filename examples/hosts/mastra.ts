// Mastra with a protected server.
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";

const { MCP_URL = "http://127.0.0.1:3000/mcp", MCP_TOKEN, MODEL_URL } = process.env;

const requestInit = { headers: { authorization: `Bearer ${MCP_TOKEN}` } };
const client = new MCPClient({ servers: { weather: { url: new URL(MCP_URL), requestInit } } });
try {
  const tools = await client.listTools();
  console.log(Object.keys(tools));
  const model = MODEL_URL
    ? { id: "fake/model" as const, url: `${MODEL_URL}/v1`, apiKey: "none" }
    : "openai/gpt-5";
  const agent = new Agent({ id: "guide", name: "guide", instructions: "Use the tools.", model, tools });
  const { text } = await agent.generate("What is the weather in Rome?");
  console.log(text);
} finally {
  await client.disconnect();
}
