import { createServer, request as send } from "node:http";
import { listenOnLoopback } from "../../generator/files/loopback.js";

/** Stands between a host and its model, and hears what the host sends. */
export interface Overheard {
  readonly url: string;
  /** Where the model is. */
  model: string;
  close(): Promise<void>;
}

/** @param hear is told the path and the body of each request, before the model has it */
export async function overhear(hear: (path: string, body: Buffer) => void): Promise<Overheard> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      hear((request.url ?? "").split("?")[0]!, body);
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
  const result: Overheard = { url: `http://127.0.0.1:${port}`, model: "", close };
  return result;
}
