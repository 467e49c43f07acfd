import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../..");

export const schemaOf = (revision) =>
  JSON.parse(readFileSync(join(root, "schema", revision, "schema.json"), "utf8"));

const given = process.argv
  .find((argument) => argument.startsWith("--generated="))
  ?.slice("--generated=".length);
const folders = given === undefined ? [join(root, "generated/dist"), join(root, "generated")] : [given];

/** The path of the emitted validators of a revision: compiled or as source. */
function validatorsFile(revision) {
  const candidates = folders.flatMap((folder) =>
    ["js", "ts"].map((extension) => join(folder, revision, `validators.${extension}`)),
  );
  const found = candidates.find((file) => existsSync(file));
  if (found === undefined) {
    throw new Error(
      `There are no validators of ${revision} in ${folders.join(" or ")}. Run npm run build first.`,
    );
  }
  return found;
}

/** Returns a minified bundle with the exports `names` of a revision's validators. */
export async function bundle(revision, names) {
  const file = validatorsFile(revision);
  const entry =
    names === undefined
      ? `export * from ${JSON.stringify(file)};`
      : `export { ${names.join(", ")} } from ${JSON.stringify(file)};`;
  const result = await build({
    stdin: { contents: entry, resolveDir: root, loader: "ts" },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
  });
  return result.outputFiles[0].contents;
}

/** Writes `code` to a module file, and runs `use` with the URL of the file. */
export async function withModule(code, use) {
  const folder = mkdtempSync(join(tmpdir(), "mcpgen-bench-"));
  try {
    const file = join(folder, "validators.mjs");
    writeFileSync(file, code);
    return await use(pathToFileURL(file).href, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
