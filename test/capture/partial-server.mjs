// A server of a made-up revision whose lists leave entries out. Its argument is the path of a file with its offer: {
// tools, listed, referred, complete, get, prompts, more }. If the offer names a file `requests`, the server appends
// each request to it.
import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [file, requests] = process.argv.slice(2);
const revision = "2027-03-01";
const offer = JSON.parse(readFileSync(file, "utf8"));
const { tools, listed = [], referred = [], complete = false, get = true, prompts = [], more = true } = offer;

const envelope = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
const named = (name) => tools.find((tool) => tool.name === name);

const methods = {
  "server/discover": () => ({
    ...envelope,
    supportedVersions: [revision],
    capabilities: { tools: {}, ...(prompts.length > 0 && { prompts: {} }) },
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "large", version: "1" } },
  }),
  "tools/list": ({ query }) => ({
    ...envelope,
    complete,
    tools: [
      ...(query === undefined
        ? listed
        : tools.map(({ name }) => name).filter((name) => name.includes(query))
      ).map(named),
      ...(query === undefined ? referred : []).map((name) => ({ name })),
    ],
  }),
  ...(get && {
    "tools/get": ({ name }) => (named(name) ? { resultType: "complete", tool: named(name) } : undefined),
  }),
  "prompts/list": () => ({ ...envelope, more, prompts }),
  "prompts/get": ({ name }) => ({
    resultType: "complete",
    messages: [{ role: "user", content: { type: "text", text: `prompt ${name}` } }],
  }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  if (requests) appendFileSync(requests, `${method} ${JSON.stringify({ ...params, _meta: undefined })}\n`);
  const answer = methods[method];
  const result = answer?.(params);
  const error = answer
    ? { code: -32602, message: "there is no such tool" }
    : { code: -32601, message: "there is no such method" };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) })}\n`);
});
