import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createNodeHandler } from "@mcpgen/runtime/http";
import { expect, onTestFinished } from "vitest";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  authorizationServer,
} from "../../support/auth/authorization-server.js";
import {
  type ProtectedResource,
  type ProtectedResourceOptions,
  protectedResource,
} from "../../support/auth/protected-resource.js";
import { minted, shown } from "../../support/auth/secrets.js";
import { type Ran, mcpgen } from "../../support/in-process.js";
import { newServer } from "../../support/live-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

/** A server of one tool that needs a token, its authorization server, and a machine of a user. */
export interface Protected {
  readonly as: AuthorizationServer;
  readonly resource: ProtectedResource;
  readonly url: string;
  /** The folder in which commands run; `home` inside it is the user's. */
  readonly folder: string;
  /** All that commands have printed. */
  readonly printed: string[];
  run(args: readonly string[], env?: Readonly<Record<string, string>>, more?: object): Promise<Ran>;
}

/**
 * A protected server. At the end of the test no secret may have been printed.
 *
 * @param given more about the resource
 */
export async function protectedServer(
  options: AuthorizationServerOptions = {},
  scopes?: readonly string[],
  given: Partial<ProtectedResourceOptions> = {},
): Promise<Protected> {
  const as = await authorizationServer(options);
  const server = newServer();
  server.tool("echo", { description: "Echoes nothing: it answers with one word." }, () => "echoed");
  const { host } = given;
  const allowedHosts = host === undefined ? [] : [new URL(host).hostname];
  const handler = createNodeHandler(server, { allowedHosts });
  onTestFinished(() => handler.close());
  const resource = await protectedResource({
    servers: [as],
    ...(scopes && { scopes }),
    ...given,
    serve: (request, response, body) => handler(request, response, body),
  });
  const folder = temporaryFolder({});
  const printed: string[] = [];
  onTestFinished(() => {
    shown(printed.join("\n"));
    expectNoSecret(as, printed.join("\n"));
  });
  return {
    as,
    resource,
    url: resource.url,
    folder,
    printed,
    run: async (args, env = {}, more = {}) => {
      for (const [name, value] of Object.entries(env)) if (/(?:TOKEN|SECRET)$/.test(name)) minted(value);
      const before = filesOf(folder);
      const ran = await mcpgen(folder, args, { env: { HOME: `${folder}/home`, ...env }, ...more });
      printed.push(ran.stdout, ran.stderr);
      for (const [file, time] of filesOf(folder))
        if (before.get(file) !== time) shown(readFileSync(file, "utf8"));
      return ran;
    },
  };
}

/** The files below a folder with the times of their last changes, except those of the store of tokens. */
function filesOf(folder: string): Map<string, number> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/[\\/]mcpgen[\\/]tokens$/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [file, statSync(file).mtimeMs]));
}

/** Fails if a text holds a secret that the authorization server has minted or got. */
export function expectNoSecret(as: AuthorizationServer, text: string): void {
  for (const secret of as.secrets) expect(text.includes(secret), `a secret is in: ${text}`).toBe(false);
}
