import type { RunCommand } from "../context.js";
import { authorizationOf } from "./authorization-of.js";
import { httpServer } from "./http-server.js";
import { loginFacts, loginText } from "./login-text.js";

/** Shows the login of one server, or all logins. */
export const authStatus: RunCommand = async (args, context) => {
  const authorization = authorizationOf(args, context);
  const named = args.given("source") ? [(await httpServer(args, context)).url] : undefined;
  const texts: string[] = [];
  const logins: Record<string, unknown>[] = [];
  for (const url of named ?? Object.keys(authorization.index.read())) {
    const login = await authorization.forServer(url).stored();
    if (!login) continue;
    const store = authorization.kindFor(url);
    texts.push(loginText(url, login, store, Date.now()));
    logins.push(loginFacts(url, login, store));
  }
  const none = named ? `there is no login to ${named[0]}` : "there are no logins";
  return {
    ...(texts.length > 0 ? { text: texts.join("\n") } : { summary: none }),
    data: { logins },
    ...(named && logins.length === 0 && { exit: 1 }),
  };
};
