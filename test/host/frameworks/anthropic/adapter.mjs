import Anthropic from "@anthropic-ai/sdk";
import { mcpTools } from "@anthropic-ai/sdk/helpers/beta/mcp";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { clientTransport } from "../shared/sdk-v1-client.mjs";

const none = "the helpers offer nothing for it";

export const framework = {
  package: "@anthropic-ai/sdk",
  lacks: { elicit: none, progress: none, cancel: none },
  async connect(target) {
    const client = new Client({ name: "client", version: "1.0.0" });
    await client.connect(clientTransport(target));
    const { tools } = await client.listTools();
    return {
      async ask({ model, signal }) {
        const anthropic = new Anthropic({ apiKey: "none", baseURL: model, maxRetries: 0 });
        await anthropic.beta.messages.toolRunner(
          {
            ...{ model: "m", max_tokens: 100, tools: mcpTools(tools, client) },
            messages: [{ role: "user", content: "go" }],
          },
          { signal },
        );
      },
      close: () => client.close(),
    };
  },
};
