// mcp-proxy.mjs URL ERA: serves on stdio the server at URL, with which it uses that era.
import { startStdioServer } from "mcp-proxy";

const [url, upstreamProtocol] = process.argv.slice(2);
await startStdioServer({ serverType: "HTTPStream", url, upstreamProtocol });
