// Downloads the packages that published.json pins, of which history.test.ts takes the schemas:
//
//   node test/extension/published.mjs
//
// Each of them has a schema that no release before had; `sameFile` lists the releases that have it again. What was
// downloaded before stays.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const {
  package: name,
  file,
  releases,
} = JSON.parse(readFileSync(new URL("published.json", import.meta.url), "utf8"));
const cache = resolve(import.meta.dirname, "../../node_modules/.cache/mcpgen-published");
const schemaOf = (version) => join(cache, `${version}.json`);

const missing = releases.filter(({ version }) => !existsSync(schemaOf(version)));
if (missing.length > 0) download(missing);
console.log(`${releases.length} schemas of ${name}, ${missing.length} of them downloaded`);

/** Downloads releases, and keeps the schema of each. */
function download(wanted) {
  const folder = join(cache, `download-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    const packages = wanted.map(({ version }) => `${name}@${version}`);
    const options = ["--json", "--ignore-scripts", "--pack-destination", folder];
    const packed = JSON.parse(
      execFileSync("npm", ["pack", ...packages, ...options], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      }),
    );
    for (const { version, integrity } of wanted) {
      const { filename } = packed.find((one) => one.version === version);
      const tarball = join(folder, filename.replace("@", "").replace("/", "-"));
      const hash = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
      if (hash !== integrity) throw new Error(`${name}@${version} has ${hash}, not ${integrity}`);
      const text = execFileSync("tar", ["xzOf", tarball, `package/${file}`], { maxBuffer: 1 << 26 });
      writeFileSync(join(folder, "schema.json"), text);
      renameSync(join(folder, "schema.json"), schemaOf(version));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
