// Replaces `npm install`, because each installation takes npm seconds: all packages are installed together already. It
// checks package.json and the words like npm, and links the packages.
//
//   node npm-install.mjs MODULES [words of npm install]
import { existsSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const [modules, ...words] = process.argv.slice(2);
const installation = dirname(modules);
const installed = manifestIn(installation).dependencies;
const manifest = existsSync("package.json") ? manifestIn(".") : {};
const kind = words.includes("--save-dev") ? "devDependencies" : "dependencies";
const asked = words.filter((word) => !word.startsWith("-"));

for (const word of asked) {
  const isTarball = word.endsWith(".tgz");
  const name = isTarball ? nameOf(word) : word;
  const known = manifest.dependencies?.[name] ?? manifest.devDependencies?.[name];
  // npm asks the registry for a package that is named, even if package.json has its tarball.
  if (!isTarball && known?.startsWith("file:")) fail(`404: the registry does not have ${name}`);
  // A package that package.json already names keeps its version.
  if (known === undefined)
    (manifest[kind] ??= {})[name] = isTarball ? `file:${resolve(word)}` : versionOf(name);
}
for (const [name, spec] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
  if (spec.startsWith("file:")) nameOf(spec.slice("file:".length), name);
  else versionOf(name);
if (asked.length > 0) writeFileSync("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
if (!existsSync("node_modules")) symlinkSync(modules, "node_modules");

function manifestIn(folder) {
  return JSON.parse(readFileSync(resolve(folder, "package.json"), "utf8"));
}

/** The package that is installed from a tarball. */
function nameOf(tarball, expected) {
  const path = existsSync(tarball) ? realpathSync(tarball) : fail(`there is no ${tarball}`);
  const found = Object.entries(installed).find(
    ([, spec]) => spec.startsWith("file:") && realpathSync(resolve(installation, spec.slice(5))) === path,
  );
  if (!found || (expected !== undefined && found[0] !== expected)) fail(`${tarball} is not ${expected}`);
  return found[0];
}

/** The version of a package that the registry has. */
function versionOf(name) {
  const spec = installed[name] ?? fail(`${name} is not among the packages of test/outside/installation.ts`);
  if (spec.startsWith("file:"))
    fail(`404: the registry does not have ${name}, and package.json names no tarball`);
  return spec;
}

function fail(problem) {
  console.error(`npm install: ${problem}`);
  process.exit(1);
}
