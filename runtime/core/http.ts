// Servers over HTTP: a port of their own, a handler for node:http and its frameworks, a handler for `fetch`.
export { createNodeHandler, type NodeHandler } from "./http/server/node-http.js";
export { serveHttp, type HttpServer, type ServeHttpOptions } from "./http/server/serve-http.js";
export * from "./fetch.js";
