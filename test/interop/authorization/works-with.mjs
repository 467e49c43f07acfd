// Writes and compares the tables of docs/authorization-works-with.md.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const page = fileURLToPath(new URL("../../../docs/authorization-works-with.md", import.meta.url));
const require = createRequire(import.meta.url);
const locks = ["./package-lock.json", "../package-lock.json"].map((path) => require(path));

/** A package with the version that these tests install. */
export function withVersion(name) {
  const { version } = locks.map(({ packages }) => packages[`node_modules/${name}`]).find(Boolean);
  return `\`${name}\` ${version}`;
}

/** Compares a table of the page. MCPGEN_WRITE=1 writes it. */
export function compareTable(name, head, rows) {
  const line = (cells) => `|${cells.join("|")}|`;
  const table = [line(head), line(head.map(() => "-")), ...rows.map(line)].join("\n");
  const text = readFileSync(page, "utf8");
  const [before, rest] = text.split(`<!-- ${name} -->\n`);
  const [found, after] = rest.split(`<!-- /${name} -->`);
  const written = `${before}<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->${after}`;
  if (process.env.MCPGEN_WRITE === "1") writeFileSync(page, written);
  else assert.equal(found.trim(), table);
}
