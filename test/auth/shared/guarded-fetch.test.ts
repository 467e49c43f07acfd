import { deflateSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Guard, fetchDocument, guardedFetch } from "../../../runtime/auth/shared/guarded-fetch.js";
import { loopback } from "../../support/listen.js";

const local: Guard = { local: true };

test("a document within the bounds is read; a 4xx response has no document", async () => {
  const origin = await loopback((request, response) => {
    response.statusCode = request.url === "/a" ? 200 : 404;
    response.end('{"a":1}');
  });
  expect(await fetchDocument(`${origin}/a`, local)).toEqual({ a: 1 });
  expect(await fetchDocument(`${origin}/b`, local)).toBeUndefined();
});

test.each([
  ["no JSON", 200, "<html>"],
  ["an array", 200, "[]"],
  ["null", 200, "null"],
  ["no content", 204, undefined],
])("metadata is invalid: %s", async (_, status, body) => {
  const origin = await loopback((_, response) => response.writeHead(status).end(body));
  await expect(fetchDocument(origin, local)).rejects.toMatchObject({ code: "auth-metadata-invalid" });
});

test.each([408, 425, 429, 500, 502, 503, 504, 599])("an answer with %i is not a decision", async (status) => {
  const origin = await loopback((_, response) => response.writeHead(status).end('{"issuer":"x"}'));
  await expect(fetchDocument(origin, local)).rejects.toMatchObject({ code: "auth-unavailable" });
});

test.each([
  ["application/json; charset=utf-8", true],
  ["application/jwk-set+json", true],
  ["Application/JSON", true],
  ["text/html", false],
  ["text/plain;charset=UTF-8", false],
  ["application/jsonp", false],
])("a document with content type %s is read: %s", async (type, isRead) => {
  const origin = await loopback((_, response) => response.setHeader("content-type", type).end('{"a":1}'));
  const read = fetchDocument(origin, local).catch((error: { code: string }) => error.code);
  expect(await read).toEqual(isRead ? { a: 1 } : "auth-metadata-invalid");
});

test("attack 12: a redirect is not followed", async () => {
  const reached: string[] = [];
  const origin = await loopback((request, response) => {
    reached.push(request.url!);
    response.writeHead(307, { location: "/private" }).end();
  });
  await expect(guardedFetch(`${origin}/a`, {}, local)).rejects.toMatchObject({
    code: "auth-metadata-unsafe",
  });
  expect(reached).toEqual(["/a"]);
});

test.each([
  "http://169.254.169.254/latest",
  "http://10.0.0.1/",
  "file:///etc/passwd",
  "https://u:p@a.example/",
])("attack 12: nothing is sent to %s", async (url) => {
  let sent = 0;
  const fetch = async (): Promise<Response> => new Response(String(sent++));
  await expect(guardedFetch(url, {}, { local: true, fetch })).rejects.toMatchObject({
    code: "auth-metadata-unsafe",
  });
  expect(sent).toBe(0);
});

test("attack 12: a server elsewhere cannot name this machine", async () => {
  const refused = guardedFetch("http://127.0.0.1:9/", {}, { local: false });
  await expect(refused).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
});

test("attack 13: an answer longer than 64 KB is cut, also if its length is not announced", async () => {
  let written = 0;
  const origin = await loopback((_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write("x".repeat(16_384))) written += 16_384;
      written += 16_384;
    };
    response.on("drain", more);
    more();
  });
  await expect(guardedFetch(origin, {}, local)).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
  expect(written).toBeLessThan(50_000_000);
});

test.each(["headers", "body"])("attack 13: a server that never ends its %s is cut", async (what) => {
  const origin = await loopback((_, response) => {
    if (what === "body") response.writeHead(200).write("{");
  });
  const refused = guardedFetch(origin, {}, { local: true, timeout: 100 });
  await expect(refused).rejects.toMatchObject({ code: "auth-unavailable" });
});

test("attack 13: the default timeout is 5 s", async () => {
  const { timeout } = AbortSignal;
  const spy = vi
    .spyOn(AbortSignal, "timeout")
    .mockImplementation((ms) => timeout.call(AbortSignal, ms === 5000 ? 20 : 60_000));
  onTestFinished(() => spy.mockRestore());
  const origin = await loopback(() => undefined);
  await expect(guardedFetch(origin, {}, local)).rejects.toThrow("no answer within 5000 ms");
});

test.each(["gzip", "deflate"])("attack 13: a bomb of %s is cut at 64 KB of its content", async (encoding) => {
  const zip = encoding === "gzip" ? gzipSync : deflateSync;
  const bomb = zip(`{"a":"${"x".repeat(10_000_000)}"}`);
  expect(bomb.length).toBeLessThan(20_000);
  const origin = await loopback((_, response) =>
    response.writeHead(200, { "content-encoding": encoding, "content-type": "application/json" }).end(bomb),
  );
  for (const guard of [local, { local: true, fetch: globalThis.fetch as never }])
    await expect(fetchDocument(origin, guard)).rejects.toMatchObject({
      code: expect.stringMatching(/^auth-metadata-(unsafe|invalid)$/) as unknown,
    });
});

test("attack 13: a server that sends a byte at a time is cut when the time is over", async () => {
  const origin = await loopback((_, response) => {
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  });
  await expect(fetchDocument(origin, { local: true, timeout: 200 })).rejects.toMatchObject({
    code: "auth-unavailable",
  });
});

test("attack 13: deep JSON within the limits is a normal answer", async () => {
  const deep = `{"a":${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
  const origin = await loopback((_, response) => response.end(deep));
  expect(await fetchDocument(origin, local)).toHaveProperty("a");
});

test("the caller's signal ends the request with its reason", async () => {
  const origin = await loopback(() => undefined);
  const controller = new AbortController();
  const request = guardedFetch(origin, {}, { ...local, signal: controller.signal });
  controller.abort(new Error("given up"));
  await expect(request).rejects.toThrow("given up");
});
