import { type CommandDefinition } from "./command-definition.js";
import { loginOptionDefinitions } from "./authorization.js";

const server = {
  type: "string",
  description: "http(s)://… or the name of a server",
} as const;

/** Commands about logins to servers over HTTP. */
export const loginCommands: readonly CommandDefinition[] = [
  {
    name: "login",
    summary: "Log in to a server, and keep the tokens for later commands",
    positionals: { source: { ...server, demandOption: true } },
    options: {
      scope: {
        type: "string",
        requiresArg: true,
        array: true,
        description: "Scope to ask for besides those of the server; may be repeated",
      },
      revision: {
        type: "string",
        requiresArg: true,
        description: "Revision of a server whose authorization is older",
      },
      ...loginOptionDefinitions,
    },
    examples: [["$0 login https://example.com/mcp", "opens the browser"]],
    load: async () => (await import("./login.js")).login,
  },
  {
    name: "logout",
    summary: "Revoke and remove the tokens of a server",
    positionals: { source: { ...server, demandOption: true } },
    options: { "token-store": loginOptionDefinitions["token-store"]! },
    examples: [["$0 logout https://example.com/mcp", "revokes them where the server can"]],
    load: async () => (await import("./login.js")).logout,
  },
  {
    name: "auth status",
    summary: "Show logins: issuer, scopes, expiry, and no token",
    positionals: { source: server },
    options: { "token-store": loginOptionDefinitions["token-store"]! },
    examples: [["$0 auth status", "all logins"]],
    load: async () => (await import("./login.js")).authStatus,
  },
];
