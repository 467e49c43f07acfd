// Refuses a release whose parts disagree. TAG (vX.Y.Z; unset in a rehearsal) must agree with the versions of
// all packages. GITHUB_REPOSITORY (unset outside of GitHub) must agree with the repository that the packages
// name.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
const main = manifestOf(".");
const folders = [".", "create-mcpgen", ...main.workspaces];
const problems = [];

const tag = process.env["TAG"] ?? "";
if (tag !== "" && tag !== `v${main.version}`)
  problems.push(`the tag is ${tag}, and the version in package.json ${main.version}`);

const repository = process.env["GITHUB_REPOSITORY"] ?? "";
for (const folder of folders) {
  const { name, version, repository: named, dependencies = {} } = manifestOf(folder);
  if (version !== main.version) problems.push(`${name} has version ${version}, mcpgen ${main.version}`);
  for (const [dependency, range] of Object.entries(dependencies))
    if (/^(?:@mcpgen\/|mcpgen$)/.test(dependency) && range !== main.version)
      problems.push(`${name} depends on ${dependency} ${range}, not on ${main.version}`);
  const url = named?.url ?? "";
  if (url !== main.repository.url) problems.push(`${name} names the repository ${url || "nowhere"}`);
  if (repository !== "" && url !== `git+https://github.com/${repository}.git`)
    problems.push(`${name} names the repository ${url}; this is ${repository}`);
}
if (!readFileSync(join(root, "CHANGELOG.md"), "utf8").includes(`\n## ${main.version}`))
  problems.push(`CHANGELOG.md has no section ${main.version}`);

for (const problem of problems) console.error(`release-check: ${problem}`);
if (problems.length > 0) process.exit(1);
console.log(`release-check: ${folders.length} packages of version ${main.version}`);
