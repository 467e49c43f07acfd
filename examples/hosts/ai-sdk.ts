// The AI SDK with a protected server.
import { createMCPClient } from "@ai-sdk/mcp";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs } from "ai";

const { MCP_URL = "http://127.0.0.1:3000/mcp", MCP_TOKEN, MODEL_URL } = process.env;

const headers = { authorization: `Bearer ${MCP_TOKEN}` };
const client = await createMCPClient({ transport: { type: "http", url: MCP_URL, headers } });
try {
  const tools = await client.tools();
  console.log(Object.keys(tools));
  const openai = createOpenAI(MODEL_URL ? { baseURL: `${MODEL_URL}/v1`, apiKey: "none" } : {});
  const { text } = await generateText({
    model: openai("gpt-5"),
    tools,
    stopWhen: stepCountIs(5),
    prompt: "What is the weather in Rome?",
  });
  console.log(text);
} finally {
  await client.close();
}
