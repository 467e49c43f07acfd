import { readFileSync, symlinkSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { mcpgen } from "../../support/in-process.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

/** @param lib the types of the language; large ones take most of the time */
const tsconfig = (lib: string) =>
  JSON.stringify({
    compilerOptions: {
      target: "ES2022",
      lib: [lib],
      types: [],
      module: "NodeNext",
      moduleResolution: "NodeNext",
      strict: true,
      customConditions: ["mcpgen-source"],
    },
  });

/** A folder with code that imports our packages. Those that are not `installed` cannot be resolved. */
export function codeFolder(
  files: Readonly<Record<string, string>>,
  { installed = [], lib = "ES5" }: { readonly installed?: readonly string[]; readonly lib?: string } = {},
): string {
  const folder = temporaryFolder({
    "tsconfig.json": tsconfig(lib),
    "package.json": '{"type":"module"}',
    ...files,
  });
  const packages = join(folder, "node_modules/@mcpgen");
  mkdirSync(packages, { recursive: true });
  const sources: Readonly<Record<string, string>> = {
    protocol: "generated",
    runtime: "runtime/core",
    engine: "engine",
    base: "runtime/base",
  };
  for (const name of installed) symlinkSync(resolve(sources[name]!), join(packages, name));
  return folder;
}

interface Use {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly name: string;
}

export interface UsesReport {
  readonly exit: number;
  readonly findings: readonly {
    readonly rule: string;
    readonly subject: Readonly<Record<string, string>>;
    readonly uses: readonly Use[];
  }[];
  readonly code: {
    readonly path: string;
    readonly files: number;
    readonly unused: number;
    readonly onlyUsed: boolean;
  };
  readonly warnings: readonly {
    readonly code: string;
    readonly place: { readonly file: string; readonly line?: number };
  }[];
}

/** The report of `mcpgen diff … --uses`. Expects that each reported name is at the reported place. */
export async function reportOf(directory: string, args: readonly string[]): Promise<UsesReport> {
  const { stdout, stderr } = await mcpgen(directory, ["diff", ...args, "--json"]);
  expect(stderr).toBe("");
  const report = JSON.parse(stdout) as UsesReport;
  for (const { file, line, column, name } of report.findings.flatMap(({ uses }) => uses)) {
    const text = readFileSync(resolve(directory, file), "utf8").split("\n")[line - 1]!;
    expect(text.slice(column - 1, column - 1 + name.length), `${file}:${line}:${column}`).toBe(name);
  }
  return report;
}

/** The uses of one finding as `line text`. */
export function usesOf(report: UsesReport, rule: string, subject: string): string[] {
  const found = report.findings.filter(
    (finding) =>
      finding.rule === rule &&
      (finding.subject["method"] ?? `${finding.subject["definition"]}.${finding.subject["path"]}`) ===
        subject,
  );
  expect(found.length, `${rule} ${subject}`).toBeGreaterThan(0);
  return [...new Set(found.flatMap(({ uses }) => uses.map(({ line, name }) => `${line} ${name}`)))];
}
