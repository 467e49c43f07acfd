// Reads docs/migration-exports.md: our counterpart of each export of the official SDK.
import { readFileSync } from "node:fs";

const page = new URL("../../docs/migration-exports.md", import.meta.url);

export function marksIn(text) {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, mark]) => mark);
}

export function migrationTable() {
  const sections = readFileSync(page, "utf8").split(/^## /m).slice(1);
  const rows = sections.flatMap((section) => {
    const group = section.slice(0, section.indexOf("\n"));
    return [...section.matchAll(/^\| (`.+?) \| (.+?) \| (.+) \|$/gm)].map(([, names, versions, here]) => ({
      group,
      names: marksIn(names),
      versions,
      here,
    }));
  });
  const list = (heading) => {
    const section = sections.find((text) => text.startsWith(`${heading}\n`));
    return marksIn(section.trimEnd().split("\n\n").at(-1));
  };
  return {
    rows,
    types: list("Types of the specification"),
    schemas: list("Schemas of the specification"),
  };
}
