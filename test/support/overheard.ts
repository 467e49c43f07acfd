import { type IncomingMessage, createServer, request as send } from "node:http";
import type { Socket } from "node:net";
import { listenOnLoopback } from "../../generator/files/loopback.js";
import type { HostServer, Variables } from "../../generator/host/program.js";

/** Stands between a host and its model, and hears what the host sends. It is a proxy, too. */
export interface Overheard {
  readonly url: string;
  /** Where the model is. */
  model: string;
  /** Another URL of it, by a name that only the proxy knows. */
  readonly modelAway: string;
  /** Variables that lead a program's requests to the proxy, those to this machine apart. */
  readonly variables: Variables;
  /** Gives a server a URL with a name that only the proxy knows. */
  away(server: HostServer): HostServer;
  /** Addresses that the proxy does not know, but was asked for, with more of them, in the order of the alphabet. */
  asked(more: readonly string[]): readonly string[];
  close(): Promise<void>;
}

const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);

/** Names that no name server knows. */
const modelName = "model.invalid";
const serverName = "server.invalid";

/** @param hear gets the path and the body of each request to the model, before the model has it */
export async function overhear(hear: (path: string, body: Buffer) => void): Promise<Overheard> {
  const asked = new Set<string>();
  const targets = new Map<string, string>();
  const targetOf = ({ url = "", headers: { host = "" } }: IncomingMessage): string | undefined => {
    const named = URL.canParse(url) ? new URL(url).host : host;
    return named === new URL(result.url).host ? result.model : targets.get(named.replace(/:80$/, ""));
  };
  const server = createServer((request, response) => {
    const { method, headers, url = "" } = request;
    const target = targetOf(request);
    if (target === undefined) {
      asked.add(URL.canParse(url) ? new URL(url).host : (headers.host ?? ""));
      response.writeHead(403, { connection: "close" }).end();
      return;
    }
    const { pathname, search } = new URL(url, result.url);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      if (target === result.model) hear(pathname, body);
      const sent = { ...headers, host: new URL(target).host, "content-length": String(body.length) };
      const onward = send(target + pathname + search, { method: method!, headers: sent }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      onward.on("error", () => response.destroy());
      response.once("close", () => onward.destroy());
      onward.end(body);
    });
  });
  server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => {});
    const { url = "" } = request;
    if (!targets.has(url.replace(/:80$/, ""))) {
      asked.add(url);
      socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n");
      return;
    }
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    socket.unshift(head);
    server.emit("connection", socket);
  });
  const { port, close } = await listenOnLoopback(server);
  const url = `http://127.0.0.1:${port}`;
  const result: Overheard = {
    ...{ url, close, variables: Object.fromEntries(proxies.map((name) => [name, url])) },
    get model() {
      return targets.get(modelName) ?? "";
    },
    set model(where) {
      targets.set(modelName, where);
    },
    modelAway: `http://${modelName}`,
    away(given) {
      if (!("url" in given)) return given;
      const { origin, pathname, search } = new URL(given.url);
      targets.set(serverName, origin);
      return { ...given, url: `http://${serverName}${pathname}${search}` };
    },
    asked: (more) => [...new Set([...asked, ...more])].toSorted(),
  };
  return result;
}
