// Builds every package and packs it as it is published: a tarball each in dist/packages/, or in the folder that is named.
// The manifests lose what only this repository needs: scripts, development dependencies, entries of sources. Links of documents
// to files that a package does not contain lead to the repository, at the tag of the version; so do its pictures.
// `npm publish dist/packages/NAME.tgz` publishes one; the last line installs mcpgen from all of them.
// `--as-built` packs what the last build made: a build would take the files away from programs that run meanwhile.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "as-built": { type: "boolean" } },
});
const folder = resolve(positionals[0] ?? join(root, "dist/packages"));
const ours = ["scripts", "devDependencies", "workspaces", "overrides", "allowScripts"];

if (!values["as-built"])
  execFileSync(process.execPath, [join(root, "scripts/build.mjs")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const staging = mkdtempSync(join(tmpdir(), "mcpgen-pack-"));
try {
  npmPack(root, staging, "--workspaces", "--include-workspace-root");
  // It depends on the root's package, which npm cannot link to a workspace.
  npmPack(join(root, "create-mcpgen"), staging);
  for (const tarball of readdirSync(staging)) published(join(staging, tarball));
} finally {
  rmSync(staging, { recursive: true, force: true });
}

for (const name of readdirSync(folder).sort()) console.log(join(relative(process.cwd(), folder), name));
console.log(`\nIn another folder: npm install ${join(folder, "*.tgz")}`);

/** Packs a tarball of npm's once more, with the manifest and the links that users get. */
function published(tarball) {
  execFileSync("tar", ["-xzf", tarball, "-C", staging]);
  const file = join(staging, "package/package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  for (const key of ours) delete manifest[key];
  for (const entry of Object.values(manifest.exports)) delete entry["mcpgen-source"];
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  const content = join(staging, "package");
  for (const document of readdirSync(content, { recursive: true }).filter((name) => name.endsWith(".md")))
    writeFileSync(join(content, document), withinReach(join(content, document), content, manifest));
  npmPack(join(staging, "package"), folder);
  rmSync(join(staging, "package"), { recursive: true });
}

/** The text of a document, where each relative link leads to a file of the package or of the repository. */
function withinReach(document, content, { repository, version }) {
  const address = repository.url.replace(/^git\+|\.git$/g, "");
  return readFileSync(document, "utf8").replace(
    /^```.*?^```|(?<=\]\(|src(?:set)?=")(?![a-z]+:|#)([^)\s#"]+)/gms,
    (text, target) => {
      if (target === undefined || existsSync(join(dirname(document), target))) return text;
      const place = relative(content, join(dirname(document), target));
      const source = join(root, repository.directory ?? "", place);
      const kind = statSync(source).isDirectory()
        ? "tree"
        : /\.(?:webp|png|svg)$/.test(source)
          ? "raw"
          : "blob";
      return `${address}/${kind}/v${version}/${relative(root, source)}`;
    },
  );
}

function npmPack(directory, destination, ...more) {
  // Built above: no script of a package is to run.
  const args = ["pack", "--ignore-scripts", "--loglevel=error", `--pack-destination=${destination}`, ...more];
  execFileSync("npm", args, { cwd: directory, stdio: ["ignore", "ignore", "inherit"] });
}
