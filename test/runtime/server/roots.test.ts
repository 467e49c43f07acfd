import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { McpError, createServer, isInsideRoots } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../../support/cases.mjs";
import { type Members, clientOf, served, textOf } from "../../support/raw-stdio-client.js";

const project = [{ uri: "file:///home/ada/project" }];

test.each([
  ["the root itself", "file:///home/ada/project"],
  ["the root with a slash", "file:///home/ada/project/"],
  ["a file", "file:///home/ada/project/a.txt"],
  ["a file further down", "file:///home/ada/project/b/c%20d.txt"],
  ["letters that need no encoding", "file:///home/ada/%70roject/a"],
  ["this machine by its name", "file://localhost/home/ada/project/a"],
  ["a name that begins with dots", "file:///home/ada/project/..a"],
])("inside: %s", (_, uri) => expect(isInsideRoots(uri, project)).toBe(true));

test.each([
  ["a neighbour with the same beginning", "file:///home/ada/project2/a"],
  ["the folder above", "file:///home/ada"],
  ["dots", "file:///home/ada/project/../secret"],
  ["dots that lead back", "file:///home/ada/project/../project/a"],
  ["encoded dots", "file:///home/ada/project/%2e%2E/secret"],
  ["half encoded dots", "file:///home/ada/project/.%2e/secret"],
  ["an encoded slash", "file:///home/ada/project/..%2fsecret"],
  ["a backslash", "file:///home/ada/project/..\\secret"],
  ["an encoded backslash", "file:///home/ada/project/..%5csecret"],
  ["dots and a space", "file:///home/ada/project/..%20/secret"],
  ["a byte that ends names in C", "file:///home/ada/project/a%00b"],
  ["an encoding that is none", "file:///home/ada/project/%zz"],
  ["bytes that are no UTF-8", "file:///home/ada/project/%ff"],
  ["another host", "file://evil/home/ada/project/a"],
  ["a host of Windows", "file:////evil/home/ada/project/a"],
  ["another scheme", "http:///home/ada/project/a"],
  ["no authority", "file:/home/ada/project/a"],
  ["a query", "file:///home/ada/project/a?b"],
  ["another case", "file:///home/ada/Project/a"],
  ["nothing", ""],
])("outside: %s", (_, uri) => expect(isInsideRoots(uri, project)).toBe(false));

test.each([
  ["file:///C:/work", "file:///c:/work/a", true],
  ["file:///c%3A/work", "file:///C:/work/a", true],
  ["file:///c:", "file:///c:/work", true],
  ["file:///c:/work", "file:///d:/work/a", false],
  ["file:///c:/work", "file:///c:/work/..%5Csecret", false],
  ["file:///", "file:///etc/passwd", true],
  ["file:///home/ada/../..", "file:///etc/passwd", false],
  ["file://evil/share", "file://evil/share/a", false],
])("the root %s and %s: %s", (root, uri, inside) => expect(isInsideRoots(uri, [{ uri: root }])).toBe(inside));

const segment = fc.oneof(
  fc.constantFrom("..", ".", "%2e%2e", "%2E.", "..%2f", "%5c..", "a", "b", "", "%61", "...", "a b", "%2e"),
  fc.string({ maxLength: 3 }).map((text) => encodeURIComponent(text)),
);
const uris = fc.array(segment, { maxLength: 6 }).map((segments) => `file:///${segments.join("/")}`);

/** The path as Node reads it; `undefined` if Node refuses it. */
function pathOf(uri: string): string | undefined {
  try {
    return posix.resolve(fileURLToPath(uri, { windows: false }));
  } catch {
    return undefined;
  }
}

test("paths judged to be inside a root are inside by Node, for any URI", () => {
  fc.assert(
    fc.property(uris, uris, (root, uri) => {
      if (!isInsideRoots(uri, [{ uri: root }])) return true;
      const [folder, place] = [pathOf(root), pathOf(uri)];
      return (
        folder !== undefined && place !== undefined && !/^\.\.(\/|$)/.test(posix.relative(folder, place))
      );
    }),
    { numRuns: cases(5000) },
  );
});

test("plain paths below a root are inside, and paths beside it are not", () => {
  const name = fc
    .string({ minLength: 1, maxLength: 5, unit: "grapheme" })
    .filter((text) => !/[/\\\p{C}]|^[. ]*$/u.test(text));
  const names = fc.array(name, { minLength: 1, maxLength: 4 });
  const uriOf = (path: readonly string[]): string => `file:///${path.map(encodeURIComponent).join("/")}`;
  fc.assert(
    fc.property(names, names, (root, below) => {
      const roots = [{ uri: uriOf(root) }];
      const beside = [...root.slice(0, -1), `${root.at(-1)}x`, ...below];
      return isInsideRoots(uriOf([...root, ...below]), roots) && !isInsideRoots(uriOf(beside), roots);
    }),
  );
});

test.each(["..", "%2e%2e/x", "..%2f", "a/../../b"])("a client exposes no root with %s", async (path) => {
  const uri = `file:///home/${path}`;
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
  server.tool("roots", {}, async (_, { ask }) => JSON.stringify(await ask.roots("r")));
  const given = { server, revisions: clientRevisions };
  await expect(createTestPair({ ...given, roots: [{ uri }] })).rejects.toMatchObject({
    code: "invalid-definition",
  });
  const { client, close } = await createTestPair({ ...given, roots: () => [{ uri: "file:///ok" }, { uri }] });
  await expect(client.callTool("roots")).rejects.toMatchObject({ code: "internal-error" });
  await close();
});

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/** URIs of roots, and whether they begin as a root must (schema.ts, Root). */
const rootUris: readonly (readonly [uri: string, isRoot: boolean])[] = [
  ["file:///home/ada", true],
  ["file://localhost/home", true],
  ["file://", true],
  ["https://example.com/", false],
  ["file:/home/ada", false],
  ["/home/ada", false],
  [" file:///home", false],
  ["ui://file://x", false],
  ["\nfile:///home", false],
  ["", false],
];

test.each(revisions.flatMap((revision) => rootUris.map(([uri, isRoot]) => [revision, uri, isRoot] as const)))(
  "a server of %s takes the root %j of a client: %s",
  async (revision, uri, isRoot) => {
    const made = served((server) =>
      server.tool("roots", {}, async (_, { ask }) => {
        try {
          return JSON.stringify(await ask.roots("r"));
        } catch (error) {
          if (!(error instanceof McpError)) throw error;
          return `${error.code}: ${error.message}`;
        }
      }),
    );
    const client = await clientOf(made, revision, { roots: {} });
    const result = { roots: [{ uri: "file:///first" }, { uri }] };
    client.answers = { "roots/list": () => ({ result }) };
    const called = await client.call("roots");
    if (!client.isModern) {
      if (isRoot) expect(textOf(called)).toBe(JSON.stringify(result.roots));
      else expect(textOf(called)).toMatch(/^invalid-result: .*roots\[1\]\.uri/s);
      return;
    }
    const { requestState } = called.result!;
    const answered = (r: Members) =>
      client.request("tools/call", {
        name: "roots",
        arguments: {},
        requestState,
        inputResponses: { r },
      } as Members);
    if (!isRoot) {
      const { error } = await answered(result);
      expect(error).toMatchObject({ code: -32602 });
      expect(error!.message).toMatch(/answer to "r" is not a result of roots\/list: .*roots\[1\]\.uri/s);
      // The handler waits for another answer.
      result.roots.pop();
    }
    expect(textOf(await answered(result))).toBe(JSON.stringify(result.roots));
  },
);

test("the error for a client's roots names the required beginning", async () => {
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
  const given = { server, revisions: clientRevisions };
  for (const uri of ["FILE:///a", "https://a", "/a"])
    await expect(createTestPair({ ...given, roots: [{ uri }] })).rejects.toMatchObject({
      code: "invalid-definition",
      message: expect.stringContaining(uri) as string,
    });
});
