import { existsSync, readFileSync } from "node:fs";

/**
 * A part of a rule or an attack, and its test: the file in test/, and the beginning of the title of the test
 * or its group.
 */
export type Part = readonly [part: string, file: string, title: string];

const escaped = (text: string): string => text.replace(/[\^$\\.*+?()[\]{}|]/g, "\\$&");

/** Returns the parts whose test does not exist. */
export function withoutTest(parts: readonly Part[]): Part[] {
  return parts.filter(([, file, title]) => {
    // A title is the first argument of a call: test, describe, the result of test.each, or a checklist row.
    // Rules that are tested from outside have it as their text.
    const isFileOfTests = !file.endsWith("-rules");
    const before = isFileOfTests ? '\\((?:"[A-Z]+-\\d+", )?\\s*' : "\\btext: ";
    const endings = isFileOfTests ? [".test.ts", ".long.test.ts"] : [".ts"];
    const path = endings.map((ending) => `test/${file}${ending}`).find(existsSync);
    const source = path === undefined ? "" : readFileSync(path, "utf8");
    return !new RegExp(`${before}["'\`]${escaped(title)}`).test(source);
  });
}
