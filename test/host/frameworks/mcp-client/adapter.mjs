import { MCPClient } from "mcp-client";

export const framework = {
  package: "mcp-client",
  lacks: {
    elicit: "the library offers nothing for it",
    bearer: "the library takes no headers",
  },
  async connect({ url, command, args, env }, { onProgress }) {
    const client = new MCPClient({ name: "client", version: "1.0.0" });
    await client.connect(url ? { type: "httpStream", url } : { type: "stdio", command, args, env });
    const report = ({ progress }) => onProgress(progress);
    return {
      list: async () =>
        (await client.getAllTools()).map(({ inputSchema, ...tool }) => ({ ...tool, schema: inputSchema })),
      call: (name, args, signal) =>
        client.callTool({ name, arguments: args }, { requestOptions: { signal, onProgress: report } }),
      close: () => client.close(),
    };
  },
};
