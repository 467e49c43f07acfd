// LangChain with a protected server.
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";

const { MCP_URL = "http://127.0.0.1:3000/mcp", MCP_TOKEN, MODEL_URL } = process.env;

const headers = { authorization: `Bearer ${MCP_TOKEN}` };
const client = new MultiServerMCPClient({ weather: { transport: "http", url: MCP_URL, headers } });
try {
  const tools = await client.getTools();
  console.log(tools.map(({ name }) => name));
  const model = new ChatOpenAI({
    model: "gpt-5",
    ...(MODEL_URL && { apiKey: "none", configuration: { baseURL: `${MODEL_URL}/v1` } }),
  });
  const agent = createAgent({ model, tools });
  const { messages } = await agent.invoke({ messages: "What is the weather in Rome?" });
  console.log(messages.at(-1)?.text);
} finally {
  await client.close();
}
