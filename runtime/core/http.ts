// Servers over HTTP: a listening port, a handler for node:http and its frameworks, a handler for `fetch`.
export type { NodeHandler } from "./http/server/node-http.js";
export type { HttpServer } from "./http/server/serve-http.js";
export { createNodeHandler, serveHttp, type ServeHttpOptions } from "./legacy/http/node-handler.js";
export { createHttpHandler } from "./legacy/http/fetch-handler.js";
export * from "./http-web.js";
