import type { AuthorizeRequest } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { oauth } from "../../../runtime/auth/client.js";

const request = (url: string): AuthorizeRequest => ({
  method: "POST",
  url,
  signal: new AbortController().signal,
  attempt: 0,
});

test("a server in use stays known while requests are redirected to many others", async () => {
  const read: string[] = [];
  const store = {
    get: async (key: string) => void read.push(key),
    put: async () => true,
  };
  const authorizer = oauth({ store });
  const used = "https://used.example/mcp";
  for (let index = 0; index < 150; index++) {
    expect(await authorizer.authorize(request(used))).toEqual({});
    expect(await authorizer.authorize(request(`https://other.example/${index}`))).toEqual({});
  }
  expect(read.filter((key) => key.includes(used))).toHaveLength(1);
  // The least recently used login was evicted, and is read again.
  await authorizer.authorize(request("https://other.example/0"));
  expect(read.filter((key) => key.includes('other.example/0"'))).toHaveLength(2);
});
