import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AuthorizationServer, authorizationServer } from "../support/auth/authorization-server.js";
import { builtCli, builtProgram } from "../support/built-program.js";
import { loopback } from "../support/listen.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { type Ended, ended, protectedProcess } from "./protected-process.js";
import { readWorkflow } from "./workflow.js";

const server = builtProgram("examples/protected/main.ts");
const job = builtProgram("examples/ci-job/main.ts");
const cli = builtCli();
const file = "examples/ci-job/workflow.yml";
const workflow = readWorkflow(file);

/**
 * A stand-in for the identity provider of GitHub Actions: a URL and a token, for which it signs an assertion about the
 * job.
 */
interface Platform {
  readonly variables: Readonly<Record<string, string>>;
  /** The audiences that were asked for, in order. */
  readonly audiences: string[];
  readonly signer: AuthorizationServer;
}

async function platform(subject = "repo:ada/notes:ref:refs/heads/main"): Promise<Platform> {
  const signer = await authorizationServer();
  const token = "the-request-token-of-the-job";
  const audiences: string[] = [];
  const origin = await loopback((request, response) => {
    const audience = new URL(request.url!, "http://127.0.0.1").searchParams.get("audience")!;
    if (request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end();
    audiences.push(audience);
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: signer.issuer, sub: subject, aud: audience, iat: now, exp: now + 300 };
    void signer.sign(claims).then((value) => response.end(JSON.stringify({ count: value.length, value })));
  });
  return {
    signer,
    audiences,
    variables: {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${origin}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: token,
      GITHUB_REPOSITORY: "ada/notes",
      GITHUB_RUN_ID: "17",
    },
  };
}

const trusting = ({ signer }: Platform): Promise<AuthorizationServer> =>
  authorizationServer({
    trusted: [{ issuer: signer.issuer, jwks: () => signer.state.keys.jwks(), kind: "workload" }],
  });

/** Runs the steps of the workflow like the runner; `npm` and `npx` behave as in an installed project. */
async function steps(variables: Readonly<Record<string, string>>): Promise<Ended[]> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "bin"));
  const programs = { npm: "exit 0", npx: `shift; exec '${process.execPath}' '${cli}' "$@"` };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, "bin", name), 0o755);
  }
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "dist/main.js"), `await import(${JSON.stringify(job)});\n`);
  const { env = {}, steps: all } = workflow.jobs["call"]!;
  const outcomes: Ended[] = [];
  for (const step of all) {
    if (step.run === undefined) continue;
    // `${{ vars.NAME }}` is a variable of the repository.
    const filled = Object.entries({ ...env, ...step.env }).map(([name, text]): [string, string] => [
      name,
      text.replace(/^\$\{\{ vars\.(\w+) \}\}$/, (_, variable: string) => variables[variable] ?? ""),
    ]);
    const PATH = `${join(folder, "bin")}:${process.env["PATH"]}`;
    const more = { PATH, HOME: folder, CI: "true", ...variables, ...Object.fromEntries(filled) };
    outcomes.push(await ended(["bash", "-e", "-c", step.run], more, folder));
  }
  return outcomes;
}

test("the workflow: each step gets a token for the identity of the job, and none has a secret", async () => {
  const github = await platform();
  const as = await trusting(github);
  const url = await protectedProcess(server, as);
  const [install, build, look, call] = await steps({
    ...github.variables,
    MCP_URL: url,
    MCP_ISSUER: as.issuer,
  });
  expect([install!.code, build!.code]).toEqual([0, 0]);
  expect([look!.code, look!.stdout], look!.stderr).toEqual([0, expect.stringContaining("add_note")]);
  expect(call).toEqual({ code: 0, stdout: "ada/notes: run 17 has ended\n", stderr: "" });
  expect(new Set(github.audiences)).toEqual(new Set([as.issuer]));
  expect([as.count("register"), as.count("authorize")]).toEqual([0, 0]);
  const output = [look!, call!].map(({ stdout, stderr }) => stdout + stderr).join("\n");
  for (const secret of as.secrets) expect(output.includes(secret)).toBe(false);
});

test("the job reports the fault, and no other issuer gets its identity", async () => {
  const github = await platform();
  const as = await trusting(github);
  const url = await protectedProcess(server, as);
  const run = (variables: Readonly<Record<string, string>>): Promise<Ended> =>
    ended([process.execPath, job], variables);
  const given = { ...github.variables, MCP_URL: url };

  const none = await run({ MCP_URL: url, MCP_ISSUER: as.issuer });
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("id-token: write") as string });
  expect((await run(github.variables)).code).toBe(2);

  const other = await run({ ...given, MCP_ISSUER: "https://auth.example.com" });
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining("auth.example.com") as string });
  expect(github.audiences).toEqual([]);

  const expired = await run({ ...given, MCP_ISSUER: as.issuer, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "expired" });
  expect(expired).toMatchObject({ code: 1, stderr: expect.stringContaining("401") as string });

  const strange = await platform();
  const refused = await run({ ...given, ...strange.variables, MCP_ISSUER: as.issuer });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("invalid_grant") as string });
  // There is only one request with the assertion: no retry, and no other grant.
  expect(as.count("token")).toBe(1);
});

test("the workflow pins its actions, asks for no secret, and may only read", () => {
  const text = readFileSync(file, "utf8");
  for (const line of text.split("\n").filter((each) => each.includes("uses:")))
    expect(line).toMatch(/uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  expect(text).not.toContain("secrets.");
  for (const { run } of workflow.jobs["call"]!.steps) expect(run ?? "").not.toContain("${{");
  expect(workflow.jobs["call"]!.permissions).toEqual({ contents: "read", "id-token": "write" });
});
