import { createServer } from "node:http";
import type { Socket } from "node:net";
import { sealedSessions } from "@mcpgen/cluster/sealed-sessions";
import { type NodeHandler, createNodeHandler } from "@mcpgen/runtime/http";
import { listenOnLoopback } from "../../../generator/files/loopback.js";
import { type ProbeOptions, probe } from "./probe.js";

export interface EndpointOptions extends Omit<ProbeOptions, "restart"> {
  /** How the server keeps the sessions of clients up to 2025-11-25. */
  readonly sessions: "kept" | "sealed" | "stateless";
  /** The header `authorization` without which it refuses. */
  readonly authorization?: string;
}

const keys = ["a key of the sessions that outlives the server"];

/** The probe over HTTP. Its tool `restart` ends the server after the answer; another one takes its place and its port. */
export async function endpoint({ sessions, authorization, ...options }: EndpointOptions): Promise<{
  readonly url: string;
  close(): Promise<void>;
}> {
  let isEnding = false;
  const start = (): NodeHandler =>
    createNodeHandler(probe({ ...options, restart: () => (isEnding = true) }), {
      graceMs: 0,
      ...(sessions !== "kept" && { sessions: sessions === "sealed" ? sealedSessions({ keys }) : false }),
    } as never);
  let handler = start();
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    if (authorization !== undefined && request.headers.authorization !== authorization) {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      return;
    }
    response.once("finish", () => {
      if (!isEnding) return;
      isEnding = false;
      void handler.close();
      handler = start();
      for (const socket of sockets) if (socket !== request.socket) socket.destroy();
    });
    void handler(request, response);
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const { port, close } = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      await Promise.all([handler.close(), close()]);
    },
  };
}
