import type { Options } from "yargs";
import { Authorization } from "../../login/authorization.js";
import { serversAmong } from "../../login/destination.js";
import { type StoreKind, storeKinds } from "../../login/token-stores.js";
import { scopesOf } from "../../login/variables.js";
import type { Arguments } from "../arguments.js";
import { type CommandContext, canAsk } from "../context.js";
import { deviceText, terminalRedirect } from "./terminal-redirect.js";

/** Options of every command that may log in to a server. */
export const loginOptionDefinitions: Readonly<Record<string, Options>> = {
  "token-store": {
    type: "string",
    requiresArg: true,
    choices: storeKinds,
    description: "Where logins are kept (default: where this login is, else auto: a keychain or files)",
  },
  "no-browser": { type: "boolean", description: "Print the address of a login, and open no browser" },
  device: {
    type: "boolean",
    description: "Log in with a code on another device, where the authorization server offers that",
  },
};

/** How a command authorizes its requests. It asks its user only where it may ask questions. */
export function authorizationOf(args: Arguments, context: CommandContext): Authorization {
  const { env, directory, console, terminal, words } = context;
  const asks = terminal !== undefined && canAsk(context);
  const show = (text: string): void => console.error(text);
  return new Authorization({
    env,
    directory,
    typed: serversAmong(words),
    store: args.string("token-store") as StoreKind | undefined,
    revision: args.string("revision"),
    scopes: args.strings("scope") ?? scopesOf(env) ?? [],
    redirect: asks ? terminalRedirect(terminal, !args.flag("no-browser"), show) : undefined,
    device: asks && args.flag("device") ? (prompt) => show(deviceText(prompt)) : undefined,
    note: (text) => console.note(text),
  });
}
