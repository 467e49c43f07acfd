import { InMemoryRunner, LlmAgent, Gemini, MCPToolset } from "@google/adk";

const none = "the framework offers nothing for it";

export const framework = {
  package: "@google/adk",
  lacks: { elicit: none, progress: none, cancel: none },
  async connect({ url, headers, command, args, env }) {
    const toolset = new MCPToolset(
      url
        ? { type: "StreamableHTTPConnectionParams", url, transportOptions: { requestInit: { headers } } }
        : { type: "StdioConnectionParams", serverParams: { command, args, env } },
    );
    return {
      async ask({ model }) {
        // Its model takes the URL from the environment alone.
        process.env.GOOGLE_GEMINI_BASE_URL = model;
        const llm = new Gemini({ model: "gemini-m", apiKey: "none" });
        const agent = new LlmAgent({ name: "agent", model: llm, tools: [toolset] });
        const runner = new InMemoryRunner({ agent, appName: "app" });
        const { id } = await runner.sessionService.createSession({ appName: "app", userId: "ada" });
        const newMessage = { role: "user", parts: [{ text: "go" }] };
        for await (const event of runner.runAsync({ userId: "ada", sessionId: id, newMessage }))
          if (event.errorCode) throw new Error(`${event.errorCode}: ${event.errorMessage}`);
      },
      close: () => toolset.close(),
    };
  },
};
