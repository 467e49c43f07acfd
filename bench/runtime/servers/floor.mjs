// The least that a Node script can do: it parses each line, answers with hand-written code, and writes each
// answer separately. It checks no message.
import { add, echo, more, text } from "./tools.mjs";
import { opening } from "./opening.mjs";

const tools = [echo, add, ...more];

function resultOf({ method, params }) {
  switch (method) {
    case "tools/call":
      return params.name === "add"
        ? text(String(params.arguments.a + params.arguments.b))
        : text(params.arguments.message);
    case "tools/list":
      return { tools };
    default:
      return opening(method, params);
  }
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    if (message.id === undefined) continue;
    const result = resultOf(message);
    if (message.params?._meta !== undefined) complete(result, message.method);
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }) + "\n");
  }
});

/** Adds the members that a result of 2026-07-28 also has. */
function complete(result, method) {
  result.resultType = "complete";
  if (method !== "tools/list") return;
  result.ttlMs = 0;
  result.cacheScope = "private";
}
