// HAProxy before the nodes, with the configuration that examples/deploy documents.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder, start } from "../engines/guarded.mjs";
import { freePorts } from "../support/free-ports.mjs";
import { lackOf, pathOf } from "../support/programs.mjs";
import { until } from "../support/until.mjs";

const program = pathOf("haproxy");

/** The reason why there is no HAProxy here, or `undefined`. */
export const noHaproxy = lackOf(program !== undefined, "haproxy is not installed");

const documented = new URL("../../examples/deploy/haproxy.cfg", import.meta.url);

/** Replaces a line of the configuration, which must have it. */
function withLine(text, line, by) {
  if (!line.test(text)) throw new Error(`examples/deploy/haproxy.cfg has no line ${line}`);
  return text.replace(line, by);
}

/**
 * Starts HAProxy with the documented configuration, except its addresses.
 *
 * @param ports of the nodes
 * @returns `url` of the endpoint, when all nodes are ready, and `close`
 */
export async function startHaproxy(ports) {
  const folder = newFolder();
  const [port] = await freePorts(1);
  const servers = ports.map((each) => `  server node${each} 127.0.0.1:${each}`).join("\n");
  const bound = withLine(readFileSync(documented, "utf8"), /^ {2}bind :80$/m, `  bind 127.0.0.1:${port}`);
  const config = withLine(bound, /^ {2}server-template .*$/m, servers);
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, withLine(config, /^resolvers docker\n(?: {2}.*\n)+/m, ""));
  const close = await start([program, "-W", "-db", "-f", file], {
    ready: "Loading success",
    signal: "TERM",
    folder,
  });
  const isReady = async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/health/ready`, {
      headers: { host: "localhost" },
    }).catch(() => ({}));
    return status === 200;
  };
  await until("HAProxy finds a node that is ready", isReady, 20);
  return { url: `http://127.0.0.1:${port}/mcp`, close };
}
