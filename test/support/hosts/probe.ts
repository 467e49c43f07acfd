import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { serverRevisions } from "@mcpgen/protocol";
import { McpError, type Server, createServer } from "@mcpgen/runtime";
import { type Case, broad, called, longText, picture, sizes, sound } from "../host-cases.js";

/** What the server saw of a call. */
export interface Seen {
  readonly tool: string;
  readonly revision: string;
  /** The host asked for progress. */
  readonly progress: boolean;
  /** What came of a question to the user, or of the quiet tool. */
  readonly answer?: string;
  readonly client: string;
}

export interface ProbeOptions {
  readonly see: (seen: Seen) => void;
  /** Tools that are listed as they stand, whatever the runtime would say of them. */
  readonly cases?: readonly Case[];
  /** Revisions that the server speaks. Default: all. */
  readonly speaks?: readonly string[];
  /** Is called by the tool `restart`. */
  readonly restart?: () => void;
}

const noArguments = { type: "object" as const, properties: {}, additionalProperties: false };

/** A server that is tried in hosts: each of its tools shows how they pass something on. */
export function probe({ see, cases = [], speaks, restart }: ProbeOptions): Server {
  const server = createServer(
    { name: "probe", version: "1.0.0" },
    {
      revisions: { known: serverRevisions, ...(speaks && { speaks: [...speaks] }) },
      validation: { send: "off" },
      onEvent: () => true,
    },
  );
  const plain = (name: string, result: () => object | string): void =>
    void server.tool(
      name,
      { description: `Shows ${name}.`, inputSchema: noArguments },
      () => result() as never,
    );
  plain("echo", () => called("echo"));
  plain("after", () => called("after"));
  plain("restart", () => (restart?.(), called("restart")));
  server.tool(
    "structured",
    {
      description: "Has both forms of a result.",
      inputSchema: noArguments,
      outputSchema: { type: "object", properties: { from: { type: "string" } }, required: ["from"] },
    },
    () => ({ content: [{ type: "text", text: "of content" }], structuredContent: { from: "of structure" } }),
  );
  plain("image", () => [{ type: "image", data: picture, mimeType: "image/png" }]);
  plain("audio", () => [{ type: "audio", data: sound, mimeType: "audio/wav" }]);
  plain("link", () => [{ type: "resource_link", uri: "probe://linked", name: "linked" }]);
  plain("embedded", () => [
    {
      type: "resource",
      resource: { uri: "probe://embedded", mimeType: "text/plain", text: "of the resource" },
    },
  ]);
  plain("json", () => JSON.stringify([called("json")]));
  plain("failed", () => ({ isError: true, content: [{ type: "text", text: "it failed" }] }));
  plain("refused", () => {
    throw new McpError("remote-error", "it was refused", { rpcCode: -31_999 });
  });
  server.tool(
    "needing",
    {
      description: "Needs a number.",
      inputSchema: {
        type: "object",
        properties: { count: { type: "integer" } },
        required: ["count"],
        additionalProperties: false,
      },
    },
    () => called("needing"),
  );
  for (const size of sizes) plain(`text_${size}`, () => longText(size));
  server.tool("asking", { description: "Asks the user.", inputSchema: noArguments }, async (_, context) => {
    const facts = { tool: "asked", revision: context.revision, progress: false, client: "" };
    try {
      const { action } = await context.ask.elicit("name", {
        message: "Which name?",
        requestedSchema: { type: "object", properties: { name: { type: "string" } } },
      });
      see({ ...facts, answer: action });
      return action;
    } catch (error) {
      see({ ...facts, answer: error instanceof McpError ? String(error.code) : "error" });
      throw error;
    }
  });
  server.tool(
    "quiet",
    {
      description: "Says nothing for a time.",
      inputSchema: {
        type: "object",
        properties: { milliseconds: { type: "integer" } },
        required: ["milliseconds"],
        additionalProperties: false,
      },
    },
    async ({ milliseconds }, { signal, revision }) => {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds as number);
        signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
      });
      see({
        tool: "quiet ended",
        revision,
        progress: false,
        client: "",
        answer: signal.aborted ? "stopped" : "done",
      });
      return called("quiet");
    },
  );
  const { name, ...definition } = broad;
  server.tool(name, definition as never, () => called(name));
  const raw = new Map(cases.map((each) => [each.tool.name, each]));
  server.use(async (request, next) => {
    if (request.direction !== "incoming") return next();
    const { method, params, context } = request;
    if (method === "tools/list") {
      const result = (await next()) as { tools: { name: string }[] };
      const own = result.tools.filter(({ name: one }) => !raw.has(one));
      return { ...result, tools: [...own, ...cases.map(({ tool }) => tool)] } as never;
    }
    if (method !== "tools/call") return next();
    const { name: tool, _meta } = params as { name: string; _meta?: { progressToken?: unknown } };
    see({
      tool,
      revision: context.revision,
      progress: _meta?.progressToken !== undefined,
      client: context.clientInfo?.name ?? "",
    });
    const listed = raw.get(tool);
    return listed ? (resultOf(listed) as never) : next();
  });
  return server;
}

function resultOf({ tool: { name, outputSchema }, structured }: Case): object {
  const value = outputSchema && (structured ?? valueOf(outputSchema, called(name)));
  // A value that is not an object reaches hosts of older revisions as text alone.
  const text = Array.isArray(value) ? JSON.stringify(value) : called(name);
  return { content: [{ type: "text", text }], ...(value !== undefined && { structuredContent: value }) };
}

/** A value of the schemas of results in the cases: they have objects, integers, lists, and texts behind references. */
function valueOf({ type, properties, oneOf }: JsonObject, text = "a text"): JsonValue {
  if (Array.isArray(oneOf)) return valueOf(oneOf[0] as JsonObject);
  if (type === "integer") return 1;
  if (type === "array") return [text];
  if (!isJsonObject(properties)) return text;
  return Object.fromEntries(
    Object.entries(properties).map(([key, each]) => [key, isJsonObject(each) ? valueOf(each) : null]),
  );
}
