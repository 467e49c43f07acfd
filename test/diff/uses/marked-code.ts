import { reportOf } from "./code.js";

/** A mark in code: `⟦Tool.execution|execution⟧` means the code `execution`, which is a use of this subject. */
const mark = /⟦([^|⟧]+)\|([^⟧]*)⟧/g;

/** Code without its marks. */
export function plain(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [file, text.replace(mark, "$2")]));
}

/** The places of the marks, as `file:line:column text: subject`. */
export function marked(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files).flatMap(([file, text]) =>
    text.split("\n").flatMap((line, index) => {
      let marks = 0;
      return [...line.matchAll(mark)].map((match) => {
        const [whole, subject, name = ""] = match;
        const column = match.index - marks + 1;
        marks += whole.length - name.length;
        return `${file}:${index + 1}:${column} ${name}: ${subject}`;
      });
    }),
  );
}

/** The places of all findings, in the same form. */
export async function found(folder: string, args: readonly string[]): Promise<string[]> {
  const { findings } = await reportOf(folder, args);
  const places = findings.flatMap(({ subject, uses }) =>
    uses.map(({ file, line, column, name }) => {
      const { method, definition, path } = subject;
      return `${file}:${line}:${column} ${name}: ${method ?? (path === "" ? definition : `${definition}.${path}`)}`;
    }),
  );
  return [...new Set(places)];
}
