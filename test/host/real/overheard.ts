import { createServer, request as send } from "node:http";
import { listenOnLoopback } from "../../../generator/files/loopback.js";

/** Stands between a host and its model, and hears what the host sends. */
export interface Overheard {
  readonly url: string;
  /** Where the model is. */
  model: string;
  /** Paths of the requests, once each. */
  readonly paths: ReadonlySet<string>;
  /** Those of the texts that a request had. */
  readonly heard: ReadonlySet<string>;
  close(): Promise<void>;
}

/** @param texts to listen for in the bodies of requests */
export async function overhear(texts: readonly string[]): Promise<Overheard> {
  const paths = new Set<string>();
  const heard = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      paths.add((request.url ?? "").split("?")[0]!);
      for (const text of texts) if (!heard.has(text) && body.includes(text)) heard.add(text);
      const { method, headers } = request;
      const onward = send(
        result.model + request.url,
        { method: method!, headers: { ...headers, "content-length": String(body.length) } },
        (answer) => {
          response.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(response);
        },
      );
      onward.on("error", () => response.destroy());
      onward.end(body);
    });
  });
  const { port, close } = await listenOnLoopback(server);
  const result: Overheard = { url: `http://127.0.0.1:${port}`, model: "", paths, heard, close };
  return result;
}
