import { serverRevisions } from "@mcpgen/protocol";
import { type CodeFirstServer, type ErrorPlace, McpError, createServer } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { heard } from "../../support/heard.mjs";
import { serve } from "../../support/http-adapters.js";
import { Party } from "../../support/raw-http-client.js";
import { type Members, RawClient, type Wired } from "../../support/raw-stdio-client.js";
import { badValues, unhandledRejections } from "./bad-values.js";

const revisions = serverRevisions.map(({ id }) => id);

const thrown: typeof badValues = {
  ...badValues,
  "an error whose data are no JSON": () => new McpError("invalid-params", "x", { rpcCode: -32602, data: 1n }),
  "an error whose code is no number": () => new McpError("invalid-params", "x", { rpcCode: NaN }),
};

/** The bad values, and lists of them. */
const given: typeof badValues = {
  ...badValues,
  "an empty list": () => [],
  "a result with a member that is no list": () => ({ content: 3, messages: 3, contents: 3 }),
  "a result with a big integer": () => withLists({ size: 1n }),
  "a result with a cycle": () => withLists(badValues["a cycle"]!() as object),
  "a result whose toJSON gives nothing": () => ({ ...withLists({}), toJSON: () => undefined }),
};

function withLists(_meta: object): object {
  return { content: [], messages: [], contents: [], _meta };
}

const ways: { readonly [name: string]: (value: unknown) => unknown } = {
  throws: (value) => {
    throw value;
  },
  rejects: (value) => Promise.reject(value as Error),
  gives: (value) => value,
  resolves: (value) => new Promise((resolve) => resolve(value)),
};

/** A request for each kind of handler. */
const requests: { readonly [kind: string]: { readonly method: string; readonly params: Members } } = {
  "a tool": { method: "tools/call", params: { name: "t", arguments: {} } },
  "a prompt": { method: "prompts/get", params: { name: "p" } },
  "a resource": { method: "resources/read", params: { uri: "x://one" } },
  "a template": { method: "resources/read", params: { uri: "x://many/1" } },
  "a completer": {
    method: "completion/complete",
    params: { ref: { type: "ref/prompt", name: "q" }, argument: { name: "a", value: "" } },
  },
  "a handler of a method": { method: "resources/templates/list", params: {} },
};

/** A server whose handlers all call the current `act`. */
function acting(act: () => unknown): { server: CodeFirstServer; reported: [unknown, ErrorPlace][] } {
  const reported: [unknown, ErrorPlace][] = [];
  const server = createServer(
    { name: "s", version: "1" },
    {
      revisions: serverRevisions,
      onEvent: heard({
        warning: () => {
          throw new Error("the listener fails");
        },
        handlerError: (...report) => {
          reported.push(report);
          throw new Error("the listener fails");
        },
      }),
    },
  );
  server.tool("t", {}, act as () => string);
  server.prompt("p", {}, act as () => string);
  server.prompt("q", { arguments: [{ name: "a" }], complete: { a: act as () => string[] } }, () => "");
  server.resource("x://one", {}, act as () => string);
  server.resourceTemplate("x://many/{id}", {}, act as () => string);
  server.handle("resources/templates/list", act as () => object as never);
  return { server, reported };
}

const unhandled = unhandledRejections();

type Request = (method: string, params: Members) => Promise<Wired>;

const transports: {
  readonly [name: string]: (server: CodeFirstServer, revision: string) => Promise<Request>;
} = {
  stdio: async (server, revision) => {
    const client = new RawClient(server, revision);
    if (!client.isModern) await client.open();
    return (method, params) => client.request(method, params);
  },
  HTTP: async (server, revision) => {
    const { url } = await serve("node", server);
    const party = await new Party(url, revision).open();
    return (method, params) => party.request(method, params);
  },
};

describe.each(Object.keys(transports))("over %s", (transport) => {
  test.each(revisions)(
    "every request is answered with JSON, for any value or error of its handler (%s)",
    async (revision) => {
      let act: () => unknown = () => "";
      const { server, reported } = acting(() => act());
      const request = await transports[transport]!(server, revision);
      const wrong: string[] = [];
      for (const [way, run] of Object.entries(ways)) {
        const values = way === "gives" || way === "resolves" ? given : thrown;
        for (const [name, make] of Object.entries(values))
          for (const [kind, { method, params }] of Object.entries(requests)) {
            if (isRight(kind, way, name)) continue;
            act = () => run(make());
            reported.length = 0;
            const answer = await request(method, params);
            const fault = faultOf(answer, kind, name, way, reported);
            if (fault !== undefined) wrong.push(`${kind} ${way} ${name}: ${fault} ${JSON.stringify(answer)}`);
          }
      }
      expect(wrong).toEqual([]);
      expect(unhandled.count).toBe(0);
    },
  );
});

/**
 * Whether a value is a valid result of one kind of handler. Methods of the application may have any object as result.
 */
function isRight(kind: string, way: string, name: string): boolean {
  const gives = way === "gives" || way === "resolves";
  if (!gives) return false;
  if (kind === "a handler of a method")
    return /^an object (without|whose toString)|^an (McpError|error)|no list$/.test(name);
  return name === "an empty list" && (kind === "a tool" || kind === "a completer");
}

/** The fault of the answer to a request whose handler misbehaved. */
function faultOf(
  { result, error }: Wired,
  kind: string,
  name: string,
  way: string,
  reported: readonly [unknown, ErrorPlace][],
): string | undefined {
  const meant = (way === "throws" || way === "rejects") && /^an error whose (data|code)/.test(name);
  const isFailure = kind === "a tool" && result?.["isError"] === true;
  if (!isFailure && typeof error?.message !== "string") return "is no error";
  if (!isFailure && !meant && error?.code !== -32603) return "has another code";
  if (!meant && reported.length !== 1) return `was reported ${reported.length} times`;
  return undefined;
}
