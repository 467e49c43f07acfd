import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import {
  type Client,
  type CodeFirstServer,
  type ErrorPlace,
  type McpError,
  type ServerOptions,
  connect,
  createServer,
  memoryChannels,
} from "@mcpgen/runtime";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { onTestFinished } from "vitest";
import { heard } from "../../support/heard.mjs";

type Connect = (server: CodeFirstServer, revision: string) => Promise<Client>;

const wires: { readonly [name: string]: Connect } = {
  memory: (server, revision) => {
    const [near, far] = memoryChannels();
    server.connect(far);
    return connect(near, { revisions: clientRevisions, revision });
  },
  HTTP: (server, revision) => {
    const handler = createHttpHandler(server);
    onTestFinished(() => handler.close());
    const fetch = (url: string, init?: RequestInit) => handler.fetch(new Request(url, init));
    return connect("http://localhost/mcp", {
      ...{ revisions: clientRevisions, revision },
      http: { fetch: fetch as never },
    });
  },
};

/** Each wire in both eras. */
export const cells = Object.keys(wires).flatMap((wire) =>
  ["2025-11-25", "2026-07-28"].map((revision) => [wire, revision] as const),
);

/**
 * Connects a client to a server with these offers. Later offers only have a capability if one of their kind exists
 * already.
 */
export async function served<Offered>(
  [wire, revision]: (typeof cells)[number],
  offer: (server: CodeFirstServer) => Offered,
  options: Partial<ServerOptions> = {},
) {
  const errors: [unknown, ErrorPlace][] = [];
  const server = createServer(
    { name: "s", version: "1" },
    {
      revisions: serverRevisions,
      ...options,
      onEvent: heard({ handlerError: (...report) => void errors.push(report), event: options.onEvent }),
    },
  );
  const offered = offer(server);
  const client = await wires[wire]!(server, revision);
  onTestFinished(() => client.close());
  return { client, server, errors, offered };
}

/** The text of the first content of a result. */
export const textOf = async (called: ReturnType<Client["callTool"]>): Promise<unknown> => {
  const [first] = (await called).content as readonly { readonly text?: string }[];
  return first?.text;
};

/** Code and message of the error that a call throws. */
export const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return `${(error as McpError).code}: ${(error as McpError).message}`;
  }
  return "nothing";
};
