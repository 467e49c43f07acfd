// Servers over HTTP: a listening port, a handler for node:http and its frameworks, a handler for `fetch`.
export { createNodeHandler, type NodeHandler } from "./http/server/node-http.js";
export { serveHttp, type HttpServer, type ServeHttpOptions } from "./http/server/serve-http.js";
export * from "./fetch.js";
