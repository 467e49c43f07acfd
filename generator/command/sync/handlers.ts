import { dirname, basename, join, relative, resolve, sep } from "node:path";
import { ts } from "ts-morph";
import { handlersStub } from "../../sync/stub.js";
import { type SyncedFile, syncFile } from "../../sync/sync-file.js";
import type { Finding } from "../../diagnostics/coded-error.js";
import type { Project } from "../project.js";
import { shownPath } from "../../print/terminal-text.js";
import type { ServerContract } from "./server-contracts.js";
import type { LookIn } from "../../sync/meanings.js";
import { type Target, ModuleGraph } from "../../sync/module-graph.js";
import { slashPath } from "../../files/platform.js";
import { readRegularFile, readRegularText } from "../../files/regular-file.js";
import { realPath } from "../../files/user-files.js";

/** A file that may contain handlers, and the functions it lacks. */
export interface HandlersFile extends SyncedFile {
  readonly path: string;
  /** The contract's path in messages. */
  readonly file: string;
  readonly before: string;
}

/** The handlers of a project, compared with its contracts. */
interface HandlersReport {
  readonly files: readonly HandlersFile[];
  /** All findings except missing functions, which `sync` can insert. */
  readonly findings: readonly Finding[];
  /** Contracts to which no file refers. */
  readonly without: readonly ServerContract[];
  /** Other files that the result depends on: compiler settings, and targets of links. */
  readonly read: readonly string[];
}

/**
 * Compares the handlers in files with the contracts. Writes nothing.
 *
 * @param named whether `--handlers` named the files; otherwise unreadable files are skipped
 * @throws CodedError MG1001 for a named file that cannot be read
 */
export async function readHandlers(
  files: readonly string[],
  contracts: readonly ServerContract[],
  project: Project,
  { directory, named = false }: { readonly directory: string; readonly named?: boolean },
): Promise<HandlersReport> {
  const code = await Code.read(files, contracts, named);
  const extension = project.importExtension;
  const judged: HandlersFile[] = [];
  const unread: Finding[] = [];
  for (const { path, text } of code.concerned(contracts)) {
    const file = shownPath(path, directory);
    const here = contracts.map((contract) => ({
      file: contract.file,
      wanted: contract.wanted,
      tasks: contract.tasks,
      completable: contract.completable,
      lookIn: code.lookIn(path, contract),
      anywhere: `import(${JSON.stringify(serverSpecifier(dirname(path), contract.out, extension))}).Handlers`,
    }));
    if (text.isText) judged.push({ ...syncFile(text.text, file, here), path, file, before: text.text });
    else unread.push(notText(file));
  }
  // An unreadable file may contain the handlers, so no contract counts as lacking them.
  const without = unread.length > 0 ? [] : contracts.filter(({ file }) => !isFound(judged, file));
  const traces = without.map(({ file }) => tracesOf(judged, file));
  const found = judged.flatMap((each) => each.findings);
  return {
    files: judged,
    findings: [...unread, ...found, ...unresolved(judged), ...traces.flat()],
    without: without.filter((_, index) => traces[index]!.length === 0),
    read: code.read,
  };
}

/** The first places where code refers to the handlers of a contract, at most three. */
function tracesOf(files: readonly HandlersFile[], wanted: string): Finding[] {
  const traces = files.flatMap((each) => each.traces).filter(({ contract }) => contract === wanted);
  return traces.slice(0, 3).map(({ finding }) => finding);
}

function isFound(files: readonly HandlersFile[], contract: string): boolean {
  return files.some(({ anchored, references }) =>
    [...anchored, ...references].some((each) => each.contract === contract),
  );
}

function notText(file: string): Finding {
  return {
    code: "MG6504",
    severity: "error",
    message: "is not text in UTF-8",
    place: { file },
    next: "Save it as UTF-8; the file is unchanged.",
  };
}

/** Findings about handlers that a file imports from elsewhere, if none of the files read contains them. */
function unresolved(work: readonly HandlersFile[]): Finding[] {
  const known = new Set(
    work.flatMap(({ anchored }) => anchored.map(({ contract, section }) => `${section} ${contract}`)),
  );
  return work
    .flatMap(({ references }) => references)
    .filter(({ contract, section }) => !known.has(`${section} ${contract}`))
    .map(({ finding }) => finding);
}

export function missingFindings({ missing }: HandlersFile): Finding[] {
  return missing.map(({ contract, section, name, place }) => ({
    code: "MG6501",
    severity: "error",
    message: `${section} has no handler ${JSON.stringify(name)}, which ${contract} requires`,
    place,
  }));
}

export function noHandlers(
  { file, out, wanted, completable }: ServerContract,
  { loaded, importExtension }: Project,
): Finding {
  const module = serverSpecifier(dirname(out), out, importExtension);
  return {
    code: "MG6506",
    severity: "error",
    message: "there are no handlers for this contract",
    place: { file },
    next: `Paste the text below into a file beside ${shownPath(out, loaded.folder)}, or name your file with --handlers.`,
    detail: handlersStub(wanted, module, completable),
  };
}

interface Text {
  readonly text: string;
  /** Whether the file's bytes are valid UTF-8: only then can `sync` write into the file. */
  readonly isText: boolean;
}

/** The code of a project, and the modules that it imports. */
class Code {
  private readonly texts: ReadonlyMap<string, Text>;
  private readonly resolution: Resolution;
  private readonly graph: ModuleGraph;
  /** Contents of imported modules that are not among the files, by path; undefined if unreadable. */
  private readonly others = new Map<string, string | undefined>();

  private constructor(texts: ReadonlyMap<string, Text>, contracts: readonly ServerContract[]) {
    this.texts = texts;
    this.resolution = new Resolution(contracts);
    this.graph = new ModuleGraph({
      resolve: (path, specifier) => this.resolution.resolve(path, specifier),
      read: (path) => texts.get(path)?.text ?? this.other(path),
    });
  }

  /**
   * @param named whether `--handlers` named the files; otherwise unreadable files are skipped
   * @throws CodedError MG1001 for a named file that cannot be read
   */
  static async read(
    files: readonly string[],
    contracts: readonly ServerContract[],
    named: boolean,
  ): Promise<Code> {
    const texts = new Map<string, Text>();
    for (const path of files) {
      try {
        const bytes = readRegularFile(path);
        const text = bytes.toString("utf8");
        texts.set(path, { text, isText: Buffer.from(text).equals(bytes) });
      } catch (error) {
        if (named) throw error;
      }
    }
    return new Code(texts, contracts);
  }

  /** The files that may contain handlers, without JavaScript that the compiler emits. */
  concerned(contracts: readonly ServerContract[]): { readonly path: string; readonly text: Text }[] {
    const names = contracts.map(({ file }) => file);
    return this.graph
      .concerned([...this.texts.keys()], names)
      .filter((path) => !/\.[cm]?jsx?$/.test(path) || !this.resolution.isOutput(path))
      .map((path) => ({ path, text: this.texts.get(path)! }));
  }

  lookIn(path: string, { file }: ServerContract): LookIn {
    return this.graph.lookIn(path, file);
  }

  /** Other files that the result depends on: compiler settings, and targets of links. */
  get read(): readonly string[] {
    return [...this.resolution.read, ...this.others.keys()];
  }

  private other(path: string): string | undefined {
    if (!this.others.has(path)) this.others.set(path, textAt(path));
    return this.others.get(path);
  }
}

function textAt(path: string): string | undefined {
  try {
    return readRegularText(path);
  } catch {
    return undefined;
  }
}

/** The file extensions that an import may include or omit. */
const extension = /\.[cm]?[jt]sx?$/;

/**
 * Resolves modules as the compiler does: through `imports` and `exports` of package.json, `paths` of
 * tsconfig.json, and links. Only a generated `server` module need not exist as a file.
 */
class Resolution {
  /** Settings that were read: package.json, tsconfig.json and the files that it extends. */
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
      // Module resolution does not need the list of a project's files.
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

  /** Whether a file lies in the output folder of a compiler configuration. */
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
   * Matches a specifier that cannot be resolved here by its ending, if it names the output folder of exactly
   * one contract.
   */
  private contractCalled(plain: string): string | undefined {
    const found = this.contracts.filter(({ out }) => `/${plain}`.endsWith(`/${basename(out)}/server`));
    return found.length === 1 ? found[0]!.file : undefined;
  }

  /**
   * The compiler options of the nearest tsconfig.json (or jsconfig.json), and of the projects that it
   * references.
   */
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

/** The options, changed so that every kind of import resolves. */
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

/** The specifier by which a file in `folder` imports the `server` module in `out`. */
function serverSpecifier(folder: string, out: string, extensionName: string): string {
  const path = slashPath(folder, join(out, `server.${extensionName}`));
  return path.startsWith(".") ? path : `./${path}`;
}

function contains(folder: string, file: string): boolean {
  const way = relative(folder, file);
  return way !== ".." && !way.startsWith(`..${sep}`);
}
