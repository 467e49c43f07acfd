// HAProxy before the nodes, with the configuration that examples/deploy documents.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { newFolder } from "../engines/guarded.mjs";

export const noHaproxy = spawnSync("haproxy", ["-v"]).error ? "haproxy is not installed" : undefined;

const documented = new URL("../../examples/deploy/haproxy.cfg", import.meta.url);

/** A port of this machine that no program listens at. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Replaces a line of the configuration, which must have it. */
function withLine(text, line, by) {
  if (!line.test(text)) throw new Error(`examples/deploy/haproxy.cfg has no line ${line}`);
  return text.replace(line, by);
}

/**
 * Starts HAProxy. Its addresses are not those of the documented configuration, all else is.
 *
 * @param ports of the nodes
 * @returns `url` of the endpoint, when all nodes are ready, and `close`
 */
export async function startHaproxy(ports) {
  const folder = newFolder();
  const port = await freePort();
  const servers = ports.map((each) => `  server node${each} 127.0.0.1:${each}`).join("\n");
  const bound = withLine(readFileSync(documented, "utf8"), /^ {2}bind :80$/m, `  bind 127.0.0.1:${port}`);
  const config = withLine(bound, /^ {2}server-template .*$/m, servers);
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, withLine(config, /^resolvers docker\n(?: {2}.*\n)+/m, ""));
  const child = spawn("haproxy", ["-db", "-f", file], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk) => (said += chunk));
  const ended = once(child, "exit").then(() => {
    throw new Error(`haproxy ended: ${said}`);
  });
  ended.catch(() => {});
  const isReady = async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/health/ready`, {
      headers: { host: "localhost" },
    }).catch(() => ({}));
    return status === 200;
  };
  while (!(await isReady())) await Promise.race([sleep(20), ended]);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      child.kill("SIGKILL");
      await ended.catch(() => {});
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
