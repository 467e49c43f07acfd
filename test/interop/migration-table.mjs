// Reads docs/migration-exports.md: our counterpart of each export of the official SDK.
import { readFileSync } from "node:fs";

const page = new URL("../../docs/migration-exports.md", import.meta.url);

export function marksIn(text) {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, mark]) => mark);
}

export function migrationTable() {
  const sections = readFileSync(page, "utf8").split(/^## /m).slice(1);
  return sections.flatMap((section) => {
    const types = marksIn(section.slice(0, section.indexOf("\n|")));
    return [...section.matchAll(/^\|(`.+?)\|(.+)\|$/gm)].map(([, names, here]) => ({
      types,
      names: marksIn(names).flatMap((mark) => mark.split(" ")),
      here,
    }));
  });
}

/**
 * How exactly a name of a row, which may have `*`, stands for an export or a member: not at all (0), by so many letters, or by
 * itself.
 */
export function fitOf(types, mark, name) {
  const dot = name.lastIndexOf(".");
  const [type, own] = dot < 0 ? [undefined, name] : [name.slice(0, dot), name.slice(dot + 1)];
  if (type === undefined ? types.length > 0 : !types.includes(type)) return 0;
  const letters = mark.replaceAll("*", "");
  if (mark === own || mark === `${own}*`) return Infinity;
  const stands = mark.includes("*") && RegExp(`^${mark.replaceAll("*", "\\w*")}$`, "i").test(own);
  return stands ? 1 + letters.length : 0;
}
