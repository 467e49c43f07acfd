// OpenAI Agents with a protected server.
import { Agent, MCPServerStreamableHttp, OpenAIProvider, Runner } from "@openai/agents";

const { MCP_URL = "http://127.0.0.1:3000/mcp", MCP_TOKEN, MODEL_URL } = process.env;

const server = new MCPServerStreamableHttp({
  url: MCP_URL,
  requestInit: { headers: { authorization: `Bearer ${MCP_TOKEN}` } },
  useStructuredContent: true,
});
await server.connect();
try {
  console.log((await server.listTools()).map(({ name }) => name));
  const modelProvider = new OpenAIProvider(MODEL_URL ? { baseURL: `${MODEL_URL}/v1`, apiKey: "none" } : {});
  const agent = new Agent({ name: "guide", mcpServers: [server] });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const { finalOutput } = await runner.run(agent, "What is the weather in Rome?");
  console.log(finalOutput);
} finally {
  await server.close();
}
