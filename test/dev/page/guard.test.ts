import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { type Route, guarded, PageServer, jsonReply } from "../../../generator/dev/page/page-server.js";

const access = { token: "secret", port: 4000 };
const headers = { host: "127.0.0.1:4000" };
const json = { ...headers, "content-type": "application/json" };

test("the page is only served to its own address", () => {
  expect(guarded({ method: "GET", url: "/secret/", headers }, access)).toEqual({ path: "" });
  expect(guarded({ method: "GET", url: "/secret/message/7?x", headers }, access)).toEqual({
    path: "message/7",
  });
  const own = { ...json, origin: "http://127.0.0.1:4000", "sec-fetch-site": "same-origin" };
  expect(guarded({ method: "POST", url: "/secret/call", headers: own }, access)).toEqual({
    path: "POST call",
  });
});

const navigated = { ...headers, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };

test("a local file may open the page in a new tab", () => {
  const given = { ...navigated, "sec-fetch-dest": "document" };
  expect(guarded({ method: "GET", url: "/secret/", headers: given }, access)).toEqual({ path: "" });
});

test.each([
  [
    "a frame on another site",
    403,
    { method: "GET", url: "/secret/", headers: { ...navigated, "sec-fetch-dest": "iframe" } },
  ],
  [
    "a link to a message",
    403,
    { method: "GET", url: "/secret/message/1", headers: { ...navigated, "sec-fetch-dest": "document" } },
  ],
  [
    "a form that navigates",
    403,
    { method: "POST", url: "/secret/", headers: { ...navigated, "sec-fetch-dest": "document" } },
  ],
  [
    "a file that does not know the secret",
    404,
    { method: "GET", url: "/other/", headers: { ...navigated, "sec-fetch-dest": "document" } },
  ],
  ["another secret", 404, { method: "GET", url: "/secreT/", headers }],
  ["a longer secret", 404, { method: "GET", url: "/secret1/", headers }],
  ["no secret", 404, { method: "GET", url: "/", headers }],
  ["an empty secret", 404, { method: "GET", url: "//", headers }],
  [
    "a name that resolves to this machine",
    403,
    { method: "GET", url: "/secret/", headers: { host: "evil.example:4000" } },
  ],
  [
    "localhost, which other programs may serve",
    403,
    { method: "GET", url: "/secret/", headers: { host: "localhost:4000" } },
  ],
  ["no host", 403, { method: "GET", url: "/secret/", headers: {} }],
  [
    "a page of another origin",
    403,
    { method: "POST", url: "/secret/call", headers: { ...json, origin: "https://evil.example" } },
  ],
  [
    "a page of another port",
    403,
    { method: "POST", url: "/secret/call", headers: { ...json, origin: "http://127.0.0.1:4001" } },
  ],
  ["an opaque origin", 403, { method: "POST", url: "/secret/call", headers: { ...json, origin: "null" } }],
  [
    "an image on another site",
    403,
    { method: "GET", url: "/secret/offer", headers: { ...headers, "sec-fetch-site": "cross-site" } },
  ],
  [
    "a form",
    415,
    { method: "POST", url: "/secret/call", headers: { ...headers, "content-type": "text/plain" } },
  ],
  ["another method", 405, { method: "PUT", url: "/secret/call", headers: json }],
] as const)("refused: %s", (_, status, given) => {
  expect(guarded(given, access)).toEqual({ status });
});

/** A server with one route that answers, and one that fails. */
async function served(): Promise<PageServer> {
  const server = await PageServer.open(
    new Map<string, Route>([
      ["", () => jsonReply("page")],
      ["message/", (_body, _response, rest) => jsonReply(rest)],
      ["POST echo", (body) => jsonReply(body)],
      [
        "POST fail",
        () => {
          throw new Error("it failed");
        },
      ],
    ]),
  );
  onTestFinished(() => server.close());
  return server;
}

const post = (url: string, body: string): Promise<Response> =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });

test("a server on the loopback interface, whose answers no other origin may read or frame", async () => {
  const { url } = await served();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
  const response = await fetch(url);
  expect([response.status, await response.json()]).toEqual([200, "page"]);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  expect(await (await fetch(`${url}message/12`)).json()).toBe("12");
});

test("wrong requests get a status, and none shows whether a path exists", async () => {
  const { url } = await served();
  expect((await fetch(`${url}nothing`)).status).toBe(404);
  expect((await fetch(new URL("/x/", url))).status).toBe(404);
  expect((await post(`${url}echo`, "{")).status).toBe(400);
  expect((await post(`${url}fail`, "{}")).status).toBe(500);
  expect(await (await post(`${url}echo`, '{"a":1}')).json()).toEqual({ a: 1 });
  // `fetch` sets no other Host.
  const { port, pathname } = new URL(url);
  const status = await new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: pathname, headers: { host: `rebound.example:${port}` } };
    request(options, (response) => resolve(response.resume().statusCode))
      .on("error", reject)
      .end();
  });
  expect(status).toBe(403);
});

test("each server has another secret", async () => {
  expect((await served()).url.split("/")[3]).not.toBe((await served()).url.split("/")[3]);
});
