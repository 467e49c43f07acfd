import { posix } from "node:path";
import { ts } from "ts-morph";

/**
 * The JavaScript of generated modules, by their paths without extension: of those that `entries` load, and of what these
 * import at once.
 */
export function compiledModules(
  files: ReadonlyMap<string, string>,
  entries: readonly string[],
): { [path: string]: string } {
  const modules: { [path: string]: string } = {};
  const pending = entries.filter((path) => files.has(`${path}.ts`));
  // An array's iteration includes what is added meanwhile.
  for (const path of pending) {
    const { outputText } = ts.transpileModule(files.get(`${path}.ts`)!, { compilerOptions });
    modules[path] = outputText;
    for (const [, from] of outputText.matchAll(/^(?:import|export)\b[^;]*?from "(\.{1,2}\/[^"]+)"/gm)) {
      const target = posix.join(posix.dirname(path), from!).replace(/\.[jt]s$/, "");
      if (files.has(`${target}.ts`) && !pending.includes(target)) pending.push(target);
    }
  }
  return modules;
}

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: false,
};
