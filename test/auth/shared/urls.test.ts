import { describe, expect, test } from "vitest";
import {
  canonicalResource,
  endpointUrl,
  resourceCovers,
  wellKnown,
} from "../../../runtime/auth/shared/urls.js";

describe("RFC 9728, 3.3: the resource of the metadata is the server, or a prefix of whole segments", () => {
  const server = "https://a.example/mcp/tools";
  test.each([
    "https://a.example/mcp/tools",
    "https://a.example/mcp",
    "https://a.example/mcp/",
    "https://a.example",
    "https://A.example:443/mcp",
  ])("%s covers it", (resource) => expect(resourceCovers(resource, server)).toBe(true));
  test.each([
    "https://b.example/mcp/tools",
    "http://a.example/mcp/tools",
    "https://a.example:8443/mcp",
    "https://a.example/mc",
    "https://a.example/mcp/tools/x",
    "https://a.example/other",
    "https://a.example/mcp#x",
    "https://a.example/mcp?x=1",
    "https://user@a.example/mcp",
    "https://a.example/mcp%2ftools",
    "https://a.example.evil/mcp",
    "/mcp",
    "",
    undefined,
    ["https://a.example/mcp"],
  ])("%s does not cover it", (resource) => expect(resourceCovers(resource, server)).toBe(false));
});

test.each([
  ["https://a.example/", "https://a.example"],
  ["https://A.example/mcp/", "https://a.example/mcp/"],
  ["https://a.example/mcp?x=1#y", "https://a.example/mcp?x=1"],
])("the canonical URI of %s", (server, expected) => expect(canonicalResource(server)).toBe(expected));

test.each([
  "http://a.example/",
  "https://u:p@a.example/",
  "https://a.example/#x",
  "ftp://a",
  "javascript:1",
  "x",
  1,
])("%s is not an endpoint", (text) => expect(endpointUrl(text, true)).toBeUndefined());

test.each(["http://127.0.0.1:1/", "http://localhost/", "http://[::1]:1/"])(
  "%s is an endpoint for servers on this machine",
  (text) => {
    expect(endpointUrl(text, true)?.href).toBe(text);
    expect(endpointUrl(text, false)).toBeUndefined();
  },
);

test("well-known names are inserted between host and path", () => {
  expect(wellKnown("https://a.example/x/y?z", "n")).toBe("https://a.example/.well-known/n/x/y");
  expect(wellKnown("https://a.example/x", "n", false)).toBe("https://a.example/.well-known/n");
});
