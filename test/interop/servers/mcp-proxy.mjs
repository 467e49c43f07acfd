// mcp-proxy.mjs URL ERA: serves on stdio what is served over HTTP there, and spoken with in that era.
import { startStdioServer } from "mcp-proxy";

const [url, upstreamProtocol] = process.argv.slice(2);
await startStdioServer({ serverType: "HTTPStream", url, upstreamProtocol });
