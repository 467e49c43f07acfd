// A bridge to a server, over HTTP: bridge.mjs URL REVISION. Prints where it listens.
import { createBridge } from "@mcpgen/bridge";
import { serveHttp } from "@mcpgen/runtime/http";

const [source, revision] = process.argv.slice(2);
const bridge = await createBridge({ back: { source, revision } }, { onEvent: () => true });
const { url } = await serveHttp(bridge, { port: 0 });
console.error(`listening on ${url}`);
