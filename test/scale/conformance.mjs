// Runs the server scenarios of the public conformance suite through the proxy, and compares four nodes with one.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { newFolder } from "../engines/guarded.mjs";
import { checksBelow, runSuite, serverPattern } from "../portability/checks.mjs";
import { Nodes } from "./nodes.mjs";
import { startProxy } from "./proxy.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The fixture as JavaScript, with the modules of the example. */
async function built() {
  const outfile = join(root, "node_modules/.cache/mcpgen-scale/everything.mjs");
  const entryPoints = [fileURLToPath(new URL("programs/everything.mjs", import.meta.url))];
  const options = { bundle: true, platform: "node", format: "esm", packages: "external" };
  await build({ entryPoints, outfile, ...options, logLevel: "error" });
  return outfile;
}

/** The statuses of the checks by scenario and id, with `count` nodes. */
export async function checksWith(count, revision, env = {}) {
  const nodes = new Nodes(await built(), env);
  await nodes.start(count);
  const proxy = await startProxy({ ports: nodes.ports });
  const folder = newFolder();
  try {
    const out = join(folder, "out");
    await runSuite(["server", "--url", proxy.url, "--requirements", revision], out);
    const found = await checksBelow(out, serverPattern);
    const requests = [...proxy.given.values()];
    return { statuses: flat(found), requests };
  } finally {
    await proxy.close();
    await nodes.end();
    await rm(folder, { recursive: true, force: true });
  }
}

function flat(found) {
  const all = {};
  for (const [scenario, checks] of Object.entries(found)) {
    // Another server has tasks.
    if (scenario.startsWith("tasks-")) continue;
    for (const [id, results] of Object.entries(checks))
      all[`${scenario}: ${id}`] = results.every(({ status }) => status === "SUCCESS")
        ? "SUCCESS"
        : results.map(({ status, errorMessage }) => `${status} ${errorMessage ?? ""}`).join("; ");
  }
  return all;
}

/** The checks whose results differ, with both. */
export function differences(one, other) {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return keys.flatMap((key) => (one[key] === other[key] ? [] : [[key, one[key], other[key]]]));
}
