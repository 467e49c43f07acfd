// Judges the packages as they are published: publint (manifests, entries, formats), are-the-types-wrong (what each way of
// resolving modules finds), their contents, and a publication without an upload or a warning: npm corrects some faults of a
// manifest and publishes nonetheless. Then the release's script runs, also without an upload. Node 22 runs the judges.
//
//   node test/portability/packages.mjs
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { delimiter, join } from "node:path";
import { parse } from "yaml";

const here = fileURLToPath(new URL(".", import.meta.url));
const node = join(here, "node_modules/node-22/bin/node");
const folder = mkdtempSync(join(tmpdir(), "mcpgen-published-"));
const work = mkdtempSync(join(tmpdir(), "mcpgen-release-"));
/** Nothing answers at this address: a publication without an upload needs no registry, and no login that holds. */
const withoutUpload = [
  ...["--dry-run", "--loglevel=warn", "--fetch-retries=0"],
  ...["--registry=http://127.0.0.1:9/", "--//127.0.0.1:9/:_authToken=none"],
];
let problems = 0;
try {
  run("pack", process.execPath, join(here, "../../scripts/pack.mjs"), folder);
  const tarballs = readdirSync(folder).sort();
  for (const name of tarballs) {
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
    const unpacked = join(work, name);
    mkdirSync(unpacked);
    spawnSync("tar", ["-xzf", tarball, "-C", unpacked]);
    // Of a tarball, npm does not say what it corrects.
    const args = ["publish", join(unpacked, "package"), "--ignore-scripts", ...withoutUpload];
    judge(`${name}: npm publish --dry-run, without a warning`, publicationProblem("npm", args));
  }
  judge("the release's script, without an upload", releaseProblem(tarballs));
} finally {
  for (const each of [folder, work]) rmSync(each, { recursive: true, force: true });
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

function publicationProblem(command, args, options = {}) {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", ...options });
  return status === 0 ? stderr.trim() : `${stderr ?? ""}${error?.message ?? ""}` || `ended with ${status}`;
}

/** Runs the last step of the release, with an npm that uploads nothing. It must name each tarball once. */
function releaseProblem(tarballs) {
  const { jobs } = parse(readFileSync(join(here, "../../.github/workflows/release.yml"), "utf8"));
  const script = jobs.publish.steps.at(-1).run;
  const published = join(work, "published");
  const npm = join(work, "npm");
  const real = spawnSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).stdout.trim();
  const quoted = withoutUpload.map((each) => `'${each}'`).join(" ");
  writeFileSync(npm, `#!/bin/sh\nbasename "$2" >> '${published}'\nexec '${real}' "$@" ${quoted}\n`, {
    mode: 0o755,
  });
  symlinkSync(folder, join(work, "packages"));
  const { version } = JSON.parse(readFileSync(join(here, "../../package.json"), "utf8"));
  const env = { ...process.env, TAG: `v${version}`, PATH: `${work}${delimiter}${process.env.PATH}` };
  const problem = publicationProblem("bash", ["-e", "-c", script], { cwd: work, env });
  if (problem !== "") return problem;
  const names = readFileSync(published, "utf8").trim().split("\n");
  return names.toSorted().join() === tarballs.join() ? "" : `it published ${names.join(", ")}`;
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
