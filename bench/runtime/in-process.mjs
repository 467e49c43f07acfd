// Calls a server in this process, without a transport.

export const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/**
 * Connects to a server. Returns a function that calls its tool `echo` a number of times, and resolves when
 * all calls are answered.
 *
 * @param _meta the `_meta` of the calls
 */
export function callerOf(server, _meta = modernMeta) {
  let receiver;
  server.connect({
    open: (opened) => (receiver = opened),
    send: () => {},
    flush: () => {},
    close: async () => {},
  });
  return async (count) => {
    for (let id = 1; id <= count; id++) {
      const params = { name: "echo", arguments: {}, _meta };
      receiver.message(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
      if (id % 64 === 0) await Promise.resolve();
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
}
