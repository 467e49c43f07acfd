// The hand-written stdio server that checks every message. It writes the answers to one chunk of input
// together.
import { isRequest, resultOf } from "./checked.mjs";

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  let out = "";
  for (const line of lines) {
    const message = JSON.parse(line);
    if (!isRequest(message)) throw new Error("not a request");
    if (message.id === undefined) continue;
    const result = resultOf(message.method, message.params);
    out += JSON.stringify({ jsonrpc: "2.0", id: message.id, result }) + "\n";
  }
  if (out !== "") process.stdout.write(out);
});
