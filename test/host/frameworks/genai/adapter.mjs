import { GoogleGenAI, mcpToTool } from "@google/genai";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { clientTransport } from "../shared/sdk-v1-client.mjs";

const none = "the framework offers nothing for it";

export const framework = {
  package: "@google/genai",
  lacks: { elicit: none, progress: none, cancel: none },
  async connect(target) {
    const client = new Client({ name: "client", version: "1.0.0" });
    await client.connect(clientTransport(target));
    return {
      async ask({ model }) {
        const ai = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: model } });
        await ai.models.generateContent({
          ...{ model: "m", contents: "go" },
          config: { tools: [mcpToTool(client)] },
        });
      },
      close: () => client.close(),
    };
  },
};
