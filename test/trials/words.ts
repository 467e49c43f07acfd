import { type CodeFirstServer, createServer } from "@mcpgen/runtime";

/** The revision that added a member of definitions and results of servers. Other members exist since the first. */
const since: Readonly<Record<string, string>> = {
  annotations: "2025-03-26",
  _meta: "2025-06-18",
  lastModified: "2025-06-18",
  outputSchema: "2025-06-18",
  structuredContent: "2025-06-18",
  title: "2025-06-18",
  icons: "2025-11-25",
  websiteUrl: "2025-11-25",
};

/** The same for the kinds of content, and for fields of forms. */
const kinds: Readonly<Record<string, string>> = { audio: "2025-03-26", resource_link: "2025-06-18" };
const fields: Readonly<Record<string, string>> = { titled: "2025-11-25", several: "2025-11-25" };

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value without the members, and without the content, that a revision does not have. */
function inWords<Value>(value: Value, words: string): Value {
  const isKnown = (part: unknown): boolean =>
    !isMembers(part) || (kinds[String(part["type"])] ?? "") <= words;
  const worded = (part: unknown): unknown => {
    if (Array.isArray(part))
      return part
        .filter((item) => [item, isMembers(item) ? item["content"] : undefined].every(isKnown))
        .map((item) => worded(item));
    if (!isMembers(part)) return part;
    const members = Object.entries(part).filter(([name]) => (since[name] ?? "") <= words);
    return Object.fromEntries(
      members.map(([name, member]) => [name, name === "inputSchema" ? member : worded(member)]),
    );
  };
  return worded(value) as Value;
}

/** A form without the fields that a revision does not have. */
function inFields(params: Members, words: string): Members {
  const form = params["requestedSchema"];
  if (!isMembers(form) || !isMembers(form["properties"])) return params;
  const properties = Object.entries(form["properties"])
    .filter(([name]) => (fields[name] ?? "") <= words)
    .map(([name, field]) => {
      const { default: _, ...older } = field as Members;
      return [name, words >= "2025-11-25" || older["type"] === "boolean" ? field : older];
    });
  return { ...params, requestedSchema: { ...form, properties: Object.fromEntries(properties) } };
}

interface Ask {
  elicit: (key: string, params: never) => unknown;
  url: () => unknown;
  all: (requests: { readonly [key: string]: { readonly params?: Members } }) => unknown;
}

/** Asks in the form of a revision: before 2025-11-25 a message of sampling had one block of content. */
function askIn(ask: Ask, words: string): void {
  const { elicit, all } = ask;
  ask.elicit = (key, params) => elicit(key, inFields(params, words) as never);
  if (words >= "2025-11-25") return;
  // This revision has no questions by URL.
  ask.url = () => Promise.reject(new Error("there is no such question"));
  ask.all = (requests) => {
    const worded = Object.entries(requests).map(([key, request]) => {
      const messages = (request.params?.["messages"] as Members[] | undefined)?.map((message) => ({
        ...message,
        content: Array.isArray(message["content"])
          ? (message["content"] as unknown[])[0]
          : message["content"],
      }));
      return [key, messages ? { ...request, params: { ...request.params, messages } } : request];
    });
    return all(Object.fromEntries(worded) as typeof requests);
  };
}

/** `createServer` for a server that was written when a revision was the newest. */
export function writtenIn(words: string): typeof createServer {
  return (info, options) => {
    const { description, ...identity } = inWords(info, words);
    const server = createServer(
      { ...identity, ...(words >= "2025-11-25" && description !== undefined && { description }) },
      options,
    );
    const worded = ((...[name, definition, handler]: Parameters<CodeFirstServer["tool"]>) =>
      [
        name,
        inWords(definition, words),
        async (args: never, context: { ask?: Ask }) => {
          if (context.ask) askIn(context.ask, words);
          const answer: unknown = await (handler as (...given: unknown[]) => unknown)(args, context);
          const result = inWords(answer, words);
          // Before structured content existed, tools returned it as text.
          return isMembers(result) && Object.keys(result).length === 0 ? JSON.stringify(answer) : result;
        },
      ] as never) as (...given: never[]) => never[];
    for (const method of ["tool", "prompt", "resource", "resourceTemplate"] as const) {
      const add = server[method].bind(server) as (...given: never[]) => never;
      Object.assign(server, { [method]: (...given: never[]) => add(...worded(...given)) });
    }
    return server;
  };
}
