// Servers over HTTP: a port of their own, a handler for node:http and its frameworks, a handler for `fetch`.
export {
  createNodeHandler,
  serveHttp,
  type HttpServer,
  type NodeHandler,
  type ServeHttpOptions,
} from "./http/node-http.js";
export * from "./fetch.js";
