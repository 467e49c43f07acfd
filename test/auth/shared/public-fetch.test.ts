import { createServer } from "node:net";
import type { LookupFunction } from "node:net";
import { expect, test } from "vitest";
import { publicFetch } from "../../../runtime/auth/shared/public-fetch.js";
import { listen } from "../../support/listen.js";

test.each([
  "https://127.0.0.1:PORT/c.json",
  "https://0x7f.1:PORT/c.json",
  "https://2130706433:PORT/c.json",
  "https://[::1]:PORT/c.json",
  "https://[::ffff:7f00:1]:PORT/c.json",
  "https://[64:ff9b::7f00:1]:PORT/c.json",
  "https://[2002:7f00:1::]:PORT/c.json",
  "https://localhost:PORT/c.json",
  "https://localhost.:PORT/c.json",
  "https://a.localhost:PORT/c.json",
  "https://metadata.google.internal:PORT/c.json",
  "https://169.254.169.254/c.json",
  "https://10.1.2.3:PORT/c.json",
  "https://100.64.0.1/c.json",
  "https://intranet:PORT/c.json",
  "https://rebind.example:PORT/c.json",
  "https://mixed.example:PORT/c.json",
  "https://user@public.example:PORT/c.json",
  "http://public.example:PORT/c.json",
])("no connection to %s", async (url) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const port = await listen(server);
  const addresses = { "rebind.example": ["127.0.0.1"], "mixed.example": ["93.184.216.34", "::1"] } as Record<
    string,
    string[]
  >;
  const lookup: LookupFunction = (name, _, callback) =>
    callback(
      null,
      (addresses[name] ?? ["127.0.0.1"]).map((address) => ({ address, family: 4 })),
    );
  try {
    const asked = (async () => publicFetch(lookup)(url.replace("PORT", String(port)), {}))();
    await expect(asked).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
    expect(connections).toBe(0);
  } finally {
    server.close();
  }
});
