import { mcp } from "@llamaindex/tools";

const none = "the framework offers nothing for it";

export const framework = {
  package: "@llamaindex/tools",
  lacks: { elicit: none, progress: none, cancel: none },
  async connect({ url, headers, command, args, env }) {
    const target = url ? { url, requestInit: { headers } } : { command, args, env };
    const client = mcp({ ...target, clientName: "client" });
    const tools = await client.tools();
    return {
      list: async () =>
        tools.map(({ metadata: { parameters, ...named } }) => ({ ...named, schema: parameters })),
      async call(name, args) {
        const tool = tools.find(({ metadata }) => metadata.name === name);
        if (!tool) throw new Error("the tool was not offered");
        return tool.call(args);
      },
      close: () => client.cleanup(),
    };
  },
};
