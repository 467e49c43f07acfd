// Judges the packages as they are published: publint (manifests, entries, formats), are-the-types-wrong (what each way of
// resolving modules finds), their contents, and a publication without an upload. Node 22 runs the judges; one line a package.
//
//   node test/portability/packages.mjs
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

const here = fileURLToPath(new URL(".", import.meta.url));
const node = join(here, "node_modules/node-22/bin/node");
const folder = mkdtempSync(join(tmpdir(), "mcpgen-published-"));
let problems = 0;
try {
  run("pack", process.execPath, join(here, "../../scripts/pack.mjs"), folder);
  for (const name of readdirSync(folder).sort()) {
    const tarball = join(folder, name);
    run(`${name}: publint`, node, join(here, "node_modules/publint/src/cli.js"), tarball, "--strict");
    // The packages are ES modules: Node 20.19 requires them, TypeScript's older resolution does not.
    run(
      `${name}: are the types wrong`,
      node,
      join(here, "node_modules/@arethetypeswrong/cli/dist/index.js"),
      ...[tarball, "--profile", "esm-only", "--no-color", "--format", "ascii"],
    );
    judge(`${name}: no source maps, and a provenance`, contentsProblem(tarball));
    run(`${name}: npm publish --dry-run`, "npm", "publish", tarball, "--dry-run", "--tag=next");
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${problems} problems`);
process.exitCode = problems > 0 ? 1 : 0;

/** Files that a tarball should not contain, or that are missing. */
function contentsProblem(tarball) {
  const tar = (...args) => spawnSync("tar", args, { encoding: "utf8", maxBuffer: 2 ** 28 }).stdout;
  const maps = tar("-tzf", tarball)
    .split("\n")
    .filter((file) => file.endsWith(".map"));
  if (maps.length > 0) return `source maps: ${maps.slice(0, 3).join(", ")}`;
  const { publishConfig } = JSON.parse(tar("-xzOf", tarball, "package/package.json"));
  return publishConfig?.provenance === true ? "" : "publishConfig.provenance is not true";
}

function judge(what, problem) {
  console.log(`${problem === "" ? "ok     " : "PROBLEM"} ${what}`);
  if (problem === "") return;
  problems++;
  console.log(problem);
}

function run(what, command, ...args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  console.log(`${status === 0 ? "ok     " : "PROBLEM"} ${what}`);
  if (status === 0) return;
  problems++;
  console.log(`${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}`);
}
