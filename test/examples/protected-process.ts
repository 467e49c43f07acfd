import { spawn } from "node:child_process";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { onTestFinished } from "vitest";
import type { AuthorizationServer } from "../support/auth/authorization-server.js";
import { loopback } from "../support/listen.js";

/**
 * Runs a built examples/protected until the test ends, behind a proxy: the URL of the server is known before it listens.
 *
 * @returns the URL for clients
 */
export async function protectedProcess(program: string, as: AuthorizationServer): Promise<string> {
  let target = "";
  const origin = await loopback((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const to = new URL(url!, target);
    const forwarded = httpRequest(to, { method, headers: { ...headers, host: to.host } }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  const resource = `${origin}/mcp`;
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, NODE_OPTIONS: "", ISSUER: as.issuer, RESOURCE: resource, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  target = line.toString().trim();
  return resource;
}

/** The output of a program until its end. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; its environment contains only PATH and these variables. */
export async function ended(
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<Ended> {
  const [program, ...args] = command;
  const variables = { PATH: process.env["PATH"]!, ...env };
  const child = spawn(program, args, { env: variables, cwd, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill());
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
