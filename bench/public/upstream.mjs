// The external API that `fetch_external_data` calls.
import { listen } from "../runtime/servers/http/mode.mjs";

const body = JSON.stringify({ status: "ok" });
const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };

listen((_, response) => response.writeHead(200, headers).end(body));
