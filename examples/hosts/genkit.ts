// Genkit with a protected server.
import { openAICompatible } from "@genkit-ai/compat-oai";
import { createMcpHost } from "@genkit-ai/mcp";
import { genkit } from "genkit";

const { MCP_URL = "http://127.0.0.1:3000/mcp", MCP_TOKEN, MODEL_URL } = process.env;

const requestInit = { headers: { authorization: `Bearer ${MCP_TOKEN}` } };
const host = createMcpHost({ name: "guide", mcpServers: { weather: { url: MCP_URL, requestInit } } });
const models = MODEL_URL ? { baseURL: `${MODEL_URL}/v1`, apiKey: "none" } : {};
const ai = genkit({ plugins: [openAICompatible({ name: "models", ...models })] });
try {
  const tools = await host.getActiveTools(ai);
  console.log(tools.map(({ __action: { name } }) => name));
  const { text } = await ai.generate({
    model: "models/gpt-5",
    prompt: "What is the weather in Rome?",
    tools,
  });
  console.log(text);
} finally {
  await host.close();
}
