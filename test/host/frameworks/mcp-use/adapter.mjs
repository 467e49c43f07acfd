import { MCPClient } from "mcp-use";

export const framework = {
  package: "mcp-use",
  lacks: {},
  async connect({ url, headers, command, args, env }, { onProgress, onQuestion }) {
    const trips = url ? { url, headers } : { command, args, env };
    const client = new MCPClient(
      { mcpServers: { trips } },
      { onElicitation: async (params) => onQuestion(params) },
    );
    const session = await client.createSession("trips");
    const report = ({ progress }) => onProgress(progress);
    return {
      list: async () =>
        (await session.listTools()).map(({ inputSchema, ...tool }) => ({ ...tool, schema: inputSchema })),
      call: (name, args, signal) => session.callTool(name, args, { signal, onprogress: report }),
      close: () => client.closeAllSessions(),
    };
  },
};
