import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { bundle, withModule } from "./emitted.mjs";
import { median } from "./measure.mjs";

const kilobytes = (bytes) => (bytes / 1024).toFixed(2);

/** The median of the milliseconds that separate processes take to import the module. */
function importTime(url, runs = 15) {
  const script = `const start = performance.now(); await import(${JSON.stringify(url)}); console.log(performance.now() - start);`;
  const samples = Array.from({ length: runs }, () =>
    Number(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })),
  );
  return median(samples);
}

/** Prints the size of all exact validators of a revision, and of the exact and open validators together. */
export async function reportSize(revision) {
  const both = await bundle(revision);
  const names = await withModule(both, async (url) => Object.keys(await import(url)));
  const exact = await bundle(
    revision,
    names.filter((name) => /^is[^a-z]/.test(name)),
  );
  for (const [title, code] of [
    ["isX", exact],
    ["isX and acceptsX", both],
  ]) {
    const milliseconds = await withModule(code, (url) => importTime(url));
    const gzip = gzipSync(code, { level: 9 }).length;
    console.log(
      `  ${title.padEnd(18)} min ${kilobytes(code.length)} KB, min+gzip ${kilobytes(gzip)} KB, import ${milliseconds.toFixed(1)} ms`,
    );
  }
  const empty = await withModule("export {};", (url) => importTime(url));
  console.log(`  ${"an empty module".padEnd(18)} import ${empty.toFixed(1)} ms`);
}
