import { CodedError } from "../../diagnostics/coded-error.js";
import { noServer } from "../../capture/server-source.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { serverSource } from "../servers/named-servers.js";

/** A server that can be logged in to. */
export interface HttpServer {
  readonly url: string;
  /** The server as messages show it, and as a SOURCE of other commands. */
  readonly shown: string;
}

/** @throws CodedError MG2014 for a SOURCE that is no server over HTTP */
export async function httpServer(args: Arguments, context: CommandContext): Promise<HttpServer> {
  const source = await serverSource(args.required("source"), args, context);
  if (typeof source !== "string" && source.address.kind === "http")
    return { url: source.address.url, shown: source.name };
  const shown = typeof source === "string" ? source : source.name;
  if (!/^https?:/i.test(shown) || !URL.canParse(shown)) {
    if (typeof source === "string" && !/^stdio:/i.test(source)) throw noServer(source, context.directory);
    throw new CodedError("MG2014", "a server on standard input and output has no login", {
      next: "Pass its credentials as variables: --env NAME.",
    });
  }
  const { username, password } = new URL(shown);
  if (username === "" && password === "") return { url: shown, shown };
  throw new CodedError("MG2014", "the URL has a user name: no login is needed", {
    next: "Give the URL without it.",
  });
}
