// The server of the suite over node:http. Prints its URL.
import { serveHttp } from "@mcpgen/runtime/http";
import { fixture } from "../suite/fixture.mjs";

const { url } = await serveHttp(fixture(), {
  port: 0,
  keepAliveMs: 200,
});
console.log(url);
