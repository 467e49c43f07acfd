import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { oauth } from "../../../runtime/auth/client.js";
import { fileStore } from "../../../runtime/auth/node.js";
import { HttpRequests } from "../../../runtime/core/http/client/http-requests.js";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  authorizationServer,
} from "../../support/auth/authorization-server.js";
import { type ProtectedResource, protectedResource } from "../../support/auth/protected-resource.js";
import { builtProgram } from "../../support/built-program.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const program = builtProgram("test/auth/node/programs/agent.ts", { external: [] });

/** An agent in a separate process. */
class Agent {
  readonly process: ChildProcess;

  constructor(folder: string, url: string) {
    this.process = fork(program, [folder, url]);
    onTestFinished(() => void this.process.kill("SIGKILL"));
  }

  async ready(): Promise<this> {
    await once(this.process, "message");
    return this;
  }

  async send(): Promise<unknown> {
    const answer = once(this.process, "message") as Promise<[{ readonly outcome: unknown }]>;
    this.process.send({});
    return (await answer)[0].outcome;
  }
}

async function loggedIn(options: AuthorizationServerOptions = {}): Promise<{
  readonly as: AuthorizationServer;
  readonly rs: ProtectedResource;
  readonly folder: string;
  readonly login: () => Promise<number>;
}> {
  const as = await authorizationServer(options);
  const rs = await protectedResource({ servers: [as] });
  const folder = join(temporaryFolder({}), "tokens");
  const redirect = { uri: "http://127.0.0.1:1/callback", receive: (url: string) => as.visit(url) };
  const login = async (): Promise<number> => {
    const authorize = oauth({ store: fileStore(folder), redirect });
    const { signal } = new AbortController();
    const request = { method: "POST", headers: {}, body: "{}", signal } as const;
    return (await new HttpRequests(rs.url, { authorize }, false).send(request)).status;
  };
  expect(await login()).toBe(200);
  return { as, rs, folder, login };
}

test("5 processes on one file store: 200 expiries lead to 200 refreshes, and no refresh token is used twice", async () => {
  const { as, rs, folder } = await loggedIn();
  const agents = await Promise.all(Array.from({ length: 5 }, () => new Agent(folder, rs.url).ready()));
  for (let round = 1; round <= 200; round++) {
    as.expireAccessTokens();
    expect(await Promise.all(agents.map((agent) => agent.send()))).toEqual([200, 200, 200, 200, 200]);
    expect(as.count("token refresh_token")).toBe(round);
  }
  expect([as.state.reuses, as.count("authorize"), as.count("register")]).toEqual([0, 1, 1]);
  expect(readdirSync(folder).filter((name) => !/^[0-9a-f]{64}$/.test(name))).toEqual([]);
});

test("a process is killed between the answer of a refresh and its store: the next says so, or logs in", async () => {
  let kill: (() => void) | undefined;
  const { as, rs, folder, login } = await loggedIn({
    fault: ({ params }, answer) => {
      if (params.get("grant_type") === "refresh_token") kill?.();
      return answer;
    },
  });
  const agent = await new Agent(folder, rs.url).ready();
  as.expireAccessTokens();
  kill = () => void agent.process.kill("SIGKILL");
  agent.process.send({});
  await once(agent.process, "exit");
  kill = undefined;
  // The refresh token in the store was used: the server refuses it once, and it is not tried again.
  const next = await new Agent(folder, rs.url).ready();
  expect([await next.send(), await next.send()]).toEqual(["auth-needs-user", "auth-needs-user"]);
  expect(as.count("token refresh_token")).toBe(2);
  expect(await login()).toBe(200);
  expect(await next.send()).toBe(200);
});
