import type { RunCommand } from "../context.js";
import { authorizationOf } from "./authorization-of.js";
import { httpServer } from "./http-server.js";

const texts = {
  revoked: "logged out; the authorization server revoked the tokens (a JWT may be valid until it expires)",
  removed: "logged out; the authorization server did not revoke the tokens: they are valid until they expire",
  absent: "there is no login",
} as const;

/** Removes the login of a server. */
export const logout: RunCommand = async (args, context) => {
  const { url, shown } = await httpServer(args, context);
  const authorization = authorizationOf(args, context);
  const auth = await authorization.auth();
  const store = await authorization.store(url);
  const done = await auth.forgetLogin(store, url, authorization.clientOptions());
  authorization.index.set(url, undefined);
  return { summary: `${shown}: ${texts[done]}`, data: { server: url, logout: done } };
};
