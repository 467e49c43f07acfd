import { existsSync, readFileSync } from "node:fs";

/** A part of a rule or an attack, and the test that holds it: its file in test/, and the beginning of its title or its group's. */
export type Part = readonly [part: string, file: string, title: string];

const escaped = (text: string): string => text.replace(/[\^$\\.*+?()[\]{}|]/g, "\\$&");

/** The parts whose test does not exist. */
export function withoutTest(parts: readonly Part[]): Part[] {
  return parts.filter(([, file, title]) => {
    // A title is the first argument of a function: test, describe, the result of test.each, a row of the checklist. Rules that
    // are tried from outside have it as their text.
    const isFileOfTests = !file.endsWith("-rules");
    const before = isFileOfTests ? '\\((?:"[A-Z]+-\\d+", )?\\s*' : "\\btext: ";
    const endings = isFileOfTests ? [".test.ts", ".long.test.ts"] : [".ts"];
    const path = endings.map((ending) => `test/${file}${ending}`).find(existsSync);
    const source = path === undefined ? "" : readFileSync(path, "utf8");
    return !new RegExp(`${before}["'\`]${escaped(title)}`).test(source);
  });
}
