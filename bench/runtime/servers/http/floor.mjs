// The least a node:http server can do: it reads the body, parses it, and answers each call with the same result, in one
// write. It checks nothing, and keeps no session.
import { opening } from "../opening.mjs";
import { text } from "../tools.mjs";
import { listen, stateless, streams } from "./mode.mjs";

const result = text("a message of some forty characters, hello");
let sessions = 0;

listen((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    const { id, method, params } = JSON.parse(body.toString());
    if (id === undefined) return response.writeHead(202).end();
    if (method === "tools/call") return answer(response, id);
    const json = JSON.stringify({ jsonrpc: "2.0", id, result: opening(method, params) });
    const session = stateless ? {} : { "mcp-session-id": String(++sessions) };
    response.writeHead(200, { "content-type": "application/json", ...session }).end(json);
  });
});

function answer(response, id) {
  const json = JSON.stringify({ jsonrpc: "2.0", id, result });
  const body = streams ? `data: ${json}\n\n` : json;
  const type = streams ? "text/event-stream" : "application/json";
  response.writeHead(200, { "content-type": type, "content-length": Buffer.byteLength(body) }).end(body);
}
