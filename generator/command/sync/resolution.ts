import { realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { ts } from "ts-morph";
import type { Target } from "../../sync/module-graph.js";
import type { ServerContract } from "./server-contracts.js";

/** Extensions that imports write or leave out. */
const extension = /\.[cm]?[jt]sx?$/;

/**
 * Finds modules as the compiler does: by `imports` and `exports` of package.json, by `paths` of tsconfig.json, through
 * links. Only for the generated `server` modules the file itself need not be there.
 */
export class Resolution {
  /** Files beside the code that were read for it: package.json, tsconfig.json and what that extends. */
  readonly read = new Set<string>();
  private readonly contracts: readonly ServerContract[];
  private readonly host: ts.ParseConfigFileHost & ts.ModuleResolutionHost;
  private readonly options = new Map<string, readonly ts.CompilerOptions[]>();
  private readonly targets = new Map<string, Target>();

  constructor(contracts: readonly ServerContract[]) {
    this.contracts = contracts;
    this.host = {
      ...ts.sys,
      readFile: (file) => {
        this.read.add(file);
        return ts.sys.readFile(file);
      },
      // Which files belong to a project is nothing that resolving asks.
      readDirectory: () => [],
      onUnRecoverableConfigFileDiagnostic: () => undefined,
    };
  }

  resolve(file: string, specifier: string): Target {
    const key = `${dirname(file)}\n${specifier}`;
    let target = this.targets.get(key);
    if (!target) this.targets.set(key, (target = this.find(file, specifier)));
    return target;
  }

  /** Whether a file is what the compiler makes of others. */
  isOutput(file: string): boolean {
    return this.optionsFor(dirname(file)).some(
      ({ outDir, configFilePath }) =>
        outDir !== undefined && contains(outDir, file) && !contains(outDir, String(configFilePath)),
    );
  }

  private find(file: string, specifier: string): Target {
    const real = realPath(file);
    const plain = specifier.replace(extension, "");
    const isRelative = /^\.{1,2}(?:\/|$)/.test(specifier);
    const places = isRelative ? [file, real].map((from) => resolve(dirname(from), plain)) : [];
    for (const place of places) {
      const contract = this.contractAt(place);
      if (contract) return { kind: "server", contract };
    }
    for (const options of this.optionsFor(dirname(real))) {
      const found = ts.resolveModuleName(specifier, real, options, this.host).resolvedModule;
      if (found) return this.targetOf(found.resolvedFileName);
    }
    const contract = isRelative ? undefined : this.contractCalled(plain);
    return contract === undefined ? { kind: "unknown" } : { kind: "server", contract };
  }

  private targetOf(found: string): Target {
    const path = realPath(found);
    const contract = this.contractAt(path.replace(extension, ""));
    if (contract !== undefined) return { kind: "server", contract };
    if (/[\\/]node_modules[\\/]/.test(path)) return { kind: "foreign" };
    return /\.d\.[cm]?ts$/.test(path) || !extension.test(path) ? { kind: "unknown" } : { kind: "file", path };
  }

  private contractAt(module: string): string | undefined {
    return this.contracts.find(({ out }) =>
      [out, realPath(out)].some((folder) => join(folder, "server") === module),
    )?.file;
  }

  /**
   * A specifier that does not resolve on this machine is matched by its end: the last folder of the output decides, if
   * only one output has that name.
   */
  private contractCalled(plain: string): string | undefined {
    const found = this.contracts.filter(({ out }) => `/${plain}`.endsWith(`/${basename(out)}/server`));
    return found.length === 1 ? found[0]!.file : undefined;
  }

  /** The options of the nearest tsconfig.json, and of the projects that it refers to. */
  private optionsFor(folder: string): readonly ts.CompilerOptions[] {
    let options = this.options.get(folder);
    if (!options) this.options.set(folder, (options = this.readOptions(folder)));
    return options;
  }

  private readOptions(folder: string): readonly ts.CompilerOptions[] {
    const file = ["tsconfig.json", "jsconfig.json"]
      .map((name) => ts.findConfigFile(folder, ts.sys.fileExists, name))
      .find((found) => found !== undefined);
    const configs = file === undefined ? [] : this.configs(file, new Set());
    return configs.length === 0 ? [resolving({})] : configs.map(resolving);
  }

  private configs(file: string, seen: Set<string>): ts.CompilerOptions[] {
    if (seen.has(file)) return [];
    seen.add(file);
    const parsed = ts.getParsedCommandLineOfConfigFile(file, {}, this.host);
    if (!parsed) return [];
    const others = (parsed.projectReferences ?? []).flatMap((reference) =>
      this.configs(ts.resolveProjectReferencePath(reference), seen),
    );
    return [parsed.options, ...others];
  }
}

/** Compiler options with which every kind of import resolves. */
function resolving(options: ts.CompilerOptions): ts.CompilerOptions {
  const module = options.module ?? ts.ModuleKind.ESNext;
  const own =
    options.moduleResolution ?? (module >= ts.ModuleKind.Node16 && module <= ts.ModuleKind.NodeNext);
  return {
    ...options,
    allowJs: true,
    ...(own === false && { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }),
  };
}

/** How a file in `folder` imports the `server` module in `out`. */
export function serverSpecifier(folder: string, out: string, extensionName: string): string {
  const path = relative(folder, join(out, `server.${extensionName}`))
    .split(sep)
    .join("/");
  return path.startsWith(".") ? path : `./${path}`;
}

function contains(folder: string, file: string): boolean {
  const way = relative(folder, file);
  return way !== ".." && !way.startsWith(`..${sep}`);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
