// A frame beside the View. Its messages are valid, but neither side may read them.
const valid = (id) => [
  { jsonrpc: "2.0", id, method: "ui/open-link", params: { url: "https://stranger.example/" } },
  { jsonrpc: "2.0", id, method: "ui/resource-teardown", params: {} },
  { jsonrpc: "2.0", id, method: "tools/call", params: { name: "add", arguments: { a: 1, b: 1 } } },
  { jsonrpc: "2.0", id, result: { content: [], stranger: true } },
  { jsonrpc: "2.0", id, error: { code: 1, message: "stranger" } },
  { jsonrpc: "2.0", method: "ui/notifications/initialized", params: {} },
  { jsonrpc: "2.0", method: "ui/notifications/request-teardown", params: {} },
  { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: [], stranger: true } },
  { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } },
];

/** The page above, and the frames beside this one. A window of another origin cannot be iterated. */
function others() {
  const { parent } = window;
  const frames = Array.from({ length: parent.length }, (_, index) => parent[index]);
  return [parent, ...frames.filter((frame) => frame !== window)];
}

function round() {
  for (const target of others())
    for (let id = 0; id < 12; id++) for (const message of valid(id)) target.postMessage(message, "*");
  window.parent.postMessage({ rounds: 1 }, "*");
}

// The host answers a round after it has read all of it, so that a slow machine is never flooded.
window.addEventListener("message", ({ data }) => data?.nextRound && setTimeout(round, 20));
round();
