import { CodedError } from "../../diagnostics/coded-error.js";
import type { RunCommand } from "../context.js";
import { authorizationOf } from "./authorization-of.js";
import { httpServer } from "./http-server.js";
import { loginFacts, loginText } from "./login-text.js";

/** Logs in to a server. */
export const login: RunCommand = async (args, context) => {
  const { url, shown } = await httpServer(args, context);
  const authorization = authorizationOf(args, context);
  const server = authorization.forServer(url);
  let driven = await server.login(shown);
  // A server may ask only for some requests.
  if (!driven.authorized && driven.status !== 401 && driven.status !== 403)
    driven = await server.login(shown, { status: 401, headers: new Headers() }).catch((error: unknown) => {
      if (error instanceof CodedError && error.code === "MG4107" && isOpen(error)) return driven;
      throw error;
    });
  const stored = driven.authorized ? await server.stored() : undefined;
  if (stored) {
    const store = authorization.kindFor(url);
    return {
      text: loginText(url, stored, store, Date.now()),
      data: { login: loginFacts(url, stored, store) },
    };
  }
  if (driven.status !== 401 && driven.status !== 403)
    return { summary: `${shown} asks for no login`, data: { login: null } };
  throw new CodedError("MG4107", `the server refuses the tokens of the login (${driven.status})`, {
    place: { file: shown },
    next: "Check the scopes: --scope NAME asks for more.",
  });
};

/** Whether a server without a refusal has no metadata of authorization either. */
function isOpen({ cause }: CodedError): boolean {
  return (cause as { readonly code?: unknown } | undefined)?.code === "auth-metadata-invalid";
}
