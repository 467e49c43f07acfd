// Values that a window may receive from its true other side, and that are not what the channel describes.
const request = (id, method, params) => ({ jsonrpc: "2.0", id, method, params });

export function garbage(target) {
  const cycle = request("cycle", "ping", {});
  cycle.params.cycle = cycle;
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "ui/unknown", ""];
  const values = [
    ...[undefined, null, 0, "", "text", JSON.stringify(request("text", "ping")), [], [[]], {}, 1n, NaN],
    ...[new Map([["jsonrpc", "2.0"]]), new Date(0), new Error("ping"), new Uint8Array(8), cycle],
    ...[
      { jsonrpc: "2.0" },
      { jsonrpc: "1.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: {}, method: "ping" },
    ],
    ...[null, 1.5, [], {}].map((id) => request(id, "ping")),
    ...[1, {}, null, []].map((method) => request("method", method)),
    ...names.map((name) => request(`of ${name}`, name, {})),
    ...names.map((method) => ({
      jsonrpc: "2.0",
      method,
      params: JSON.parse('{"__proto__":{"polluted":true}}'),
    })),
    ...[1e9, "__proto__", "none"].map((id) => ({ jsonrpc: "2.0", id, result: {} })),
    { jsonrpc: "2.0", error: { code: 1, message: "" } },
    ...["ui/open-link", "ui/message", "tools/call", "ui/initialize"].map((name) =>
      request(`bad ${name}`, name, 1),
    ),
    request("wrong", "ui/open-link", { url: { toString: 1 } }),
    request("huge", "ui/open-link", { url: "https://huge.example/".padEnd(11 * 1024 * 1024, "a") }),
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "__proto__" } },
    { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1e9, progress: 1 } },
    { jsonrpc: "2.0", method: "ui/notifications/size-changed", params: { width: "wide" } },
    { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: 1 } },
  ];
  for (const value of values) target.postMessage(value, "*");
}
