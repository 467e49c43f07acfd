import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { builtCli } from "../../support/built-program.js";
import { type Protected, expectNoSecret, protectedServer } from "./protected-server.js";

const cli = builtCli();

/** Runs the program itself, without a terminal; it must not wait for input. */
async function mcpgen({ folder }: Protected, args: readonly string[], env: Record<string, string> = {}) {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: folder,
    env: { ...(PATH && { PATH }), HOME: `${folder}/home`, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { code, stdout, stderr };
}

test.each([{}, { CI: "true" }])("a process without a terminal asks nothing: %j", async (env) => {
  const site = await protectedServer({}, ["files:read"]);
  for (const words of [
    ["call", site.url, "echo"],
    ["login", site.url],
  ]) {
    const { code, stderr } = await mcpgen(site, words, env as Record<string, string>);
    expect(code).toBe(4);
    expect(stderr).toContain("MG4106");
    expect(stderr.trimEnd().split("\n")).toHaveLength(2);
  }
  expect(site.as.count("authorize")).toBe(0);
});

test("a process with credentials of the environment prints no secret, also with --verbose", async () => {
  const client = { id: "ci", secret: "the-secret-of-ci" };
  const site = await protectedServer({ clients: [client] });
  const env = { CI: "1", MCPGEN_CLIENT_ID: client.id, MCPGEN_CLIENT_SECRET: client.secret };
  const { code, stdout, stderr } = await mcpgen(site, ["call", site.url, "echo", "--verbose"], env);
  expect([code, stdout]).toEqual([0, "echoed\n"]);
  expectNoSecret(site.as, stdout + stderr);
});
