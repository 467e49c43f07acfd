import { Project, ts } from "ts-morph";

/**
 * Compares the exported types of two files by the strict `Equal` conditional type.
 *
 * @returns how many types `theirs` exports, and the names of those that `ours` lacks or has otherwise
 */
export function unequalTypes(theirs: string, ours: string): { compared: number; unequal: string[] } {
  const project = new Project({
    useInMemoryFileSystem: true,
    compilerOptions: { strict: true, exactOptionalPropertyTypes: true, lib: ["lib.es2022.d.ts"], types: [] },
  });
  const source = project.createSourceFile("theirs.ts", theirs);
  project.createSourceFile("ours.ts", ours);
  const names = [...source.getInterfaces(), ...source.getTypeAliases()]
    .filter((declaration) => declaration.isExported())
    .map((declaration) => declaration.getName());
  const test = project.createSourceFile(
    "equal.ts",
    [
      'import type * as Theirs from "./theirs";',
      'import type * as Ours from "./ours";',
      "type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;",
      ...names.map((name) => `const _${name}: Equal<Theirs.${name}, Ours.${name}> = true;`),
    ].join("\n"),
  );
  const firstLine = 4;
  const lines = test.getPreEmitDiagnostics().map((diagnostic) => {
    if (diagnostic.getSourceFile() !== test)
      throw new Error(ts.flattenDiagnosticMessageText(diagnostic.compilerObject.messageText, "\n"));
    return diagnostic.getLineNumber()!;
  });
  return { compared: names.length, unequal: [...new Set(lines)].map((line) => names[line - firstLine]!) };
}
