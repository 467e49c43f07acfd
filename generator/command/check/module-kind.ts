import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Finding } from "../../diagnostics/finding.js";
import { parseCommentedJson } from "../../files/commented-json.js";
import { readRegularText } from "../../files/regular-file.js";
import type { CommandContext } from "../context.js";
import type { ContractTarget } from "../contracts/targets.js";
import { shownPath } from "../shown-path.js";

/** Configurations that may extend one another before the search ends. */
const mostExtended = 8;

/** The module format that TypeScript gives the output of contracts, where that is no ES module. */
interface ModuleKinds {
  readonly findings: readonly Finding[];
  /** Files that decided it. */
  readonly read: readonly string[];
}

/**
 * Warns of folders whose TypeScript is compiled to CommonJS: what is generated, and the packages that it imports, are ES
 * modules. The nearest package.json and tsconfig.json of each folder decide, as they do for the compiler.
 */
export function moduleKinds(targets: readonly ContractTarget[], { directory }: CommandContext): ModuleKinds {
  const read: string[] = [];
  const findings = targets.flatMap(({ outDir }): Finding[] => {
    const config = nearest(outDir, "tsconfig.json");
    if (config === undefined) return [];
    const manifest = nearest(outDir, "package.json");
    read.push(config, ...(manifest === undefined ? [] : [manifest]));
    const kind = String(moduleOption(config, read) ?? "").toLowerCase();
    const place = { file: shownPath(outDir, directory) };
    const base = { code: "MG6009", severity: "warning", place } as const;
    if (kind === "commonjs")
      return [
        {
          ...base,
          message: `${shownPath(config, directory)} has "module": "commonjs": the generated code consists of ES modules`,
          next: 'Set "module": "nodenext" there, and "type": "module" in package.json.',
        },
      ];
    if (!/^node(16|18|20|next)$/.test(kind) || (manifest && typeOf(manifest) === "module")) return [];
    const shown = manifest === undefined ? "no package.json" : shownPath(manifest, directory);
    return [
      {
        ...base,
        message: `${shown} does not say "type": "module": with "module": "${kind}", TypeScript compiles the generated ES modules to CommonJS`,
        next: `Add "type": "module" to ${manifest === undefined ? "a package.json" : shown}; or add a package.json with only that to the folder of the code.`,
      },
    ];
  });
  return { findings, read };
}

/** The nearest file of a name, from `folder` upwards. */
function nearest(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, name))) return join(at, name);
    if (dirname(at) === at) return undefined;
  }
}

function typeOf(manifest: string): unknown {
  return (parsed(manifest) as { readonly type?: unknown } | undefined)?.type;
}

interface TypeScriptConfig {
  readonly compilerOptions?: { readonly module?: unknown };
  readonly extends?: string | readonly string[];
}

/** The option `module` of a configuration, or of the files that it extends; packages are not looked into. */
function moduleOption(file: string, read: string[], level = 0): unknown {
  const config = parsed(file) as TypeScriptConfig | undefined;
  const own = config?.compilerOptions?.module;
  if (own !== undefined || level === mostExtended) return own;
  for (const base of [config?.extends ?? []].flat().reverse()) {
    if (typeof base !== "string" || !/^\.{0,2}\//.test(base)) continue;
    const path = resolve(dirname(file), base);
    const found = [path, `${path}.json`].find((each) => existsSync(each));
    if (found === undefined) continue;
    read.push(found);
    const inherited = moduleOption(found, read, level + 1);
    if (inherited !== undefined) return inherited;
  }
  return undefined;
}

function parsed(file: string): unknown {
  try {
    const read = parseCommentedJson(readRegularText(file).replace(/^\uFEFF/, ""));
    return "value" in read ? read.value : undefined;
  } catch {
    return undefined;
  }
}
