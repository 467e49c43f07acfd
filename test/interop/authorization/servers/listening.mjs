// Servers that must know their own origin, which is only known when they listen.
import { createServer } from "node:http";

/** @param make the handler of an origin */
export async function serveAt(make) {
  let ready;
  const handler = new Promise((resolve) => (ready = resolve));
  const server = createServer(async (request, response) => (await handler)(request, response));
  await new Promise((done) => server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", done));
  ready(await make(`http://127.0.0.1:${server.address().port}`));
}
