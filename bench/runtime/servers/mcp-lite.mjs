// mcp-lite has no stdio transport: this file splits and writes lines, with as little work as its dispatcher
// allows.
import { server } from "./definitions/mcp-lite.mjs";

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) void answer(JSON.parse(line));
});

async function answer(message) {
  const response = await server._dispatch(message);
  if (response !== null) process.stdout.write(JSON.stringify(response) + "\n");
}
