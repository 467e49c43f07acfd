import { chmodSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  authorizationServer,
} from "../support/auth/authorization-server.js";
import { builtProgram } from "../support/built-program.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { type Ended, ended, protectedProcess } from "./protected-process.js";

const server = builtProgram("examples/protected/main.ts");
const agent = builtProgram("examples/cli-agent/main.ts");

/** A user's machine: a home folder, and a browser that consents on each page. */
interface Machine {
  readonly as: AuthorizationServer;
  readonly url: string;
  readonly home: string;
  run(...args: string[]): Promise<Ended>;
}

async function machine(options: AuthorizationServerOptions = {}): Promise<Machine> {
  const as = await authorizationServer(options);
  const url = await protectedProcess(server, as);
  const home = temporaryFolder();
  for (const name of ["xdg-open", "open"]) {
    // The redirect leads to the agent.
    writeFileSync(join(home, name), `#!${process.execPath}\nfetch(process.argv[2]).catch(() => {});\n`);
    chmodSync(join(home, name), 0o755);
  }
  const printed: string[] = [];
  onTestFinished(() => {
    for (const secret of as.secrets) expect(printed.join("\n").includes(secret)).toBe(false);
  });
  const PATH = [home, process.env["PATH"]].join(delimiter);
  return {
    as,
    url,
    home,
    run: async (...args) => {
      const result = await ended([process.execPath, agent, url, ...args], { PATH, HOME: home });
      printed.push(result.stdout, result.stderr);
      return result;
    },
  };
}

test("the first run logs in with the browser; later runs in other processes do not ask the user", async () => {
  const { as, url, home, run } = await machine();
  const first = await run();
  expect(first).toMatchObject({ code: 0, stdout: "list_notes: Your notes.\nadd_note: Adds a note.\n" });
  expect(first.stderr).toContain(`login at ${as.issuer}, for notes\n`);
  expect([as.count("register"), as.count("authorize")]).toEqual([1, 1]);

  // The tool needs an additional scope: one more login, for both scopes.
  expect(await run("add_note", '{"text":"milk"}')).toMatchObject({ code: 0, stdout: "added\n" });
  expect([as.count("register"), as.count("authorize")]).toEqual([1, 2]);
  expect(as.calls.findLast(({ endpoint }) => endpoint === "authorize")!.params.get("scope")).toBe(
    "notes notes:write",
  );

  expect(await run("list_notes")).toMatchObject({ code: 0, stdout: "milk\n", stderr: "tokens: file\n" });
  expect(as.count("authorize")).toBe(2);

  const tokens = join(home, ".local/state/mcpgen/tokens");
  for (const name of readdirSync(tokens)) expect(statSync(join(tokens, name)).mode & 0o077).toBe(0);

  expect((await run("--forget")).stdout).toBe("revoked\n");
  expect((await run("--forget")).stdout).toBe("absent\n");
  expect(as.calls.every(({ params }) => !params.has("resource") || params.get("resource") === url)).toBe(
    true,
  );
});

test("tokens that have expired are renewed without the user", async () => {
  const { as, home, run } = await machine();
  expect((await run()).code).toBe(0);
  expect(as.count("token refresh_token")).toBe(0);
  // Makes the tokens a day old.
  const tokens = join(home, ".local/state/mcpgen/tokens");
  let aged = 0;
  for (const name of readdirSync(tokens)) {
    const text = readFileSync(join(tokens, name), "utf8");
    const old = text.replace(/(obtained\W+)(\d+)/, (_, before, at) => `${before}${Number(at) - 86_400_000}`);
    if (old !== text) aged++;
    writeFileSync(join(tokens, name), old);
  }
  expect(aged).toBe(1);
  expect((await run()).code).toBe(0);
  expect([as.count("authorize"), as.count("token refresh_token")]).toEqual([1, 1]);
});

test("a user who refuses, and an invalid URL", async () => {
  const { run } = await machine({ decide: () => ({ error: "access_denied" }) });
  const refused = await run();
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("access_denied");
  const usage = await ended([process.execPath, agent, "nowhere"], {});
  expect(usage).toMatchObject({ code: 2, stderr: expect.stringContaining("usage:") as string });
});
