import type { ServerSource } from "../../capture/server-source.js";
import { sha256 } from "../../files/sha256.js";

/** Names a server in files: tasks of one are never shown to another. */
export type ServerKey = string & { readonly of: "server" };

/**
 * The key of a server: its address, or the program and its folder. The name of a server, and a password in a URL, do not
 * count.
 */
export function serverKey(source: ServerSource, directory: string): ServerKey {
  return sha256(JSON.stringify(identityOf(source, directory))) as ServerKey;
}

function identityOf(source: ServerSource, directory: string): readonly string[] {
  if (typeof source !== "string") {
    const { address } = source;
    return address.kind === "http" ? urlIdentity(address.url) : ["stdio", address.cwd, ...address.command];
  }
  return /^stdio:/i.test(source)
    ? ["stdio", directory, source.slice("stdio:".length).trim()]
    : urlIdentity(source);
}

function urlIdentity(text: string): readonly string[] {
  if (!URL.canParse(text)) return ["http", text];
  const url = new URL(text);
  [url.username, url.password, url.hash] = ["", "", ""];
  return ["http", url.href];
}
