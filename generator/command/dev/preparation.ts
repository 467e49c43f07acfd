import { existsSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { checkTypes, Compiler } from "../../dev/compiler.js";
import { type LoadContract, readOnce, loadContract } from "../../contract/read-contract.js";
import { type Finding, CodedError, findingOfError } from "../../diagnostics/coded-error.js";
import { hasSchemas } from "../../extension/extension-store.js";
import { writeFileSets } from "../../files/writer.js";
import { counted, shownPath } from "../../print/terminal-text.js";
import type { Arguments, CommandContext, Outcome } from "../command.js";
import { planContracts } from "../contract-output.js";
import { generateProject } from "../generate.js";
import { codeFindings, lintFindings } from "../lint.js";
import { type Project, openProject, contractTargets } from "../project.js";
import { writeHandlers } from "../sync.js";
import { noHandlers, readHandlers } from "../sync/handlers.js";
import { serverContracts } from "../sync/server-contracts.js";
import { userFiles } from "../../files/user-files.js";
import { type ProjectInputs, inputsOf } from "./inputs.js";

/** The result of preparing the server. */
export interface Prepared {
  /** The completed steps, in a few words each. */
  readonly done: readonly string[];
  readonly findings: readonly Finding[];
  /** Whether the server may be started: contract, handlers and syntax have no errors. */
  readonly ready: boolean;
  /** Whether a part of the server changed. */
  readonly changed: boolean;
  /** Files of the user that were written. */
  readonly written: readonly string[];
  /** Duration of each step in milliseconds. */
  readonly times: ReadonlyMap<string, number>;
  /** The type check, if the server need not wait for it. The promise never rejects. */
  readonly types?: Promise<readonly Finding[]>;
  /** Judges the code of handlers. It occupies this process, so the server starts first. */
  readonly judge?: () => Promise<readonly Finding[]>;
}

/** Brings everything from the contract to the server's JavaScript up to date, within this process. */
export class Preparation {
  readonly #args: Arguments;
  readonly #context: CommandContext;
  #project: Project;
  #inputs: ProjectInputs;
  #compiler: { readonly file: string; readonly compiler: Compiler } | undefined;
  readonly #end = new AbortController();
  #lint: readonly Finding[] = [];
  readonly #read: LoadContract;
  /** Reads the contracts that the output was generated from. */
  #load: LoadContract;
  /** Whether the output is up to date with the contracts. */
  #generated = false;

  private constructor(args: Arguments, context: CommandContext, project: Project, read: LoadContract) {
    this.#args = args;
    this.#context = context;
    this.#project = project;
    this.#inputs = inputsOf(project);
    this.#read = read;
    this.#load = readOnce(read);
  }

  /** @param read reads a contract file */
  static async open(
    args: Arguments,
    context: CommandContext,
    read: LoadContract = loadContract,
  ): Promise<Preparation> {
    return new Preparation(args, context, await openProject(args, context), read);
  }

  get project(): Project {
    return this.#project;
  }

  /** The files that the preparation depends on, as they are now. */
  inputs(): ProjectInputs {
    this.#inputs = inputsOf(this.#project);
    return this.#inputs;
  }

  /** The JavaScript file of a source file, or the file itself if the compiler writes none. */
  outputOf(source: string): string {
    return this.#currentCompiler()?.compiler.outputOf(source) ?? source;
  }

  /** @param changed the absolute paths that changed; undefined for the first run */
  async run(changed: readonly string[] | undefined): Promise<Prepared> {
    const done: string[] = [];
    const findings: Finding[] = [];
    const written: string[] = [];
    const times = new Map<string, number>();
    const isReady = (): boolean =>
      !findings.some(({ severity, code }) => severity === "error" && code !== "MG6601");
    const result = (changes: boolean): Prepared => ({
      done,
      findings,
      ready: isReady(),
      changed: changes,
      written,
      times,
    });
    try {
      const generates = !this.#generated || changed!.some((path) => !this.#inputs.code.has(path));
      if (generates) {
        const since = this.#generated ? changed : undefined;
        this.#generated = false;
        findings.push(...(await timed(times, "generate", () => this.#generate(since, done))));
        this.#generated = isReady();
      }
      findings.push(...this.#lint);
      if (!isReady()) return result(false);
      findings.push(...(await timed(times, "sync", () => this.#sync(done, written))));
      if (!isReady()) return result(false);
      const { compiled, types } = await timed(times, "write", () => this.#compile(findings, done));
      const judge = (): Promise<readonly Finding[]> =>
        codeFindings(this.#project.loaded.folder, this.#context);
      return { ...result(compiled || hasRunning(changed)), ...(types && { types }), judge };
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      findings.push(findingOfError(error), ...error.more.map(findingOfError));
      return result(false);
    }
  }

  /**
   * @param changed paths that changed since the output was last complete; undefined to generate everything
   */
  async #generate(changed: readonly string[] | undefined, done: string[]): Promise<Finding[]> {
    this.#load = readOnce(this.#read);
    this.#project = await openProject(this.#args, this.#context);
    const { schemaDir } = this.#project;
    const targets = contractTargets(this.#args, this.#project, this.#context);
    const ofSchemas =
      hasSchemas(schemaDir) &&
      (changed === undefined ||
        changed.some((path) => path.startsWith(schemaDir + sep) || path === this.#project.loaded.file));
    let outcome: Outcome;
    if (ofSchemas) outcome = await generateProject(this.#args, this.#context, this.#load);
    else {
      const run = { args: this.#args, project: this.#project, context: this.#context };
      const plans = await planContracts(targets, run, this.#load);
      outcome = { ...plans.outcome, findings: [...plans.conflicts, ...(plans.outcome.findings ?? [])] };
      writeFileSets(plans.sets);
    }
    const count = changedFiles(outcome);
    if (count > 0) done.push(`${counted(count, "file")} generated`);
    this.#lint = await this.#lintContracts(targets.filter(({ role }) => role !== "client"));
    return [...(outcome.findings ?? [])];
  }

  async #lintContracts(
    targets: readonly { readonly file: string; readonly shown: string }[],
  ): Promise<Finding[]> {
    const documents = await Promise.all(targets.map(({ file, shown }) => this.#load(file, shown)));
    return documents.flatMap((document) => lintFindings(document.contract, document));
  }

  /** Inserts missing handlers. */
  async #sync(done: string[], written: string[]): Promise<readonly Finding[]> {
    const contracts = await serverContracts(this.#project, this.#context, this.#load);
    if (contracts.length === 0) return [];
    const { code } = userFiles(this.#project.loaded.folder, new Set(contracts.map(({ out }) => out)));
    const { files, findings, without } = await readHandlers(code, contracts, this.#project, this.#context);
    const changed = files.filter(({ insertions }) => insertions.length > 0);
    writeHandlers(changed, this.#project.loaded.folder);
    for (const { file, path, missing } of changed) {
      written.push(path);
      done.push(`${firstOf(missing.map(({ name }) => name))} inserted into ${file}`);
    }
    return [...findings, ...without.map((contract) => noHandlers(contract, this.#project))];
  }

  /**
   * Writes JavaScript and starts the type check. Waits for the check only if it writes the JavaScript itself.
   */
  async #compile(
    findings: Finding[],
    done: string[],
  ): Promise<{ readonly compiled: boolean; readonly types?: Promise<readonly Finding[]> }> {
    const current = this.#currentCompiler();
    if (!current) return { compiled: true };
    const { file, compiler } = current;
    const check = (writes: boolean): Promise<Finding[]> =>
      checkTypes({ file, writes, shown: this.#shown, signal: this.#end.signal });
    if (compiler.runsSources || compiler.isPerFile) {
      const { errors, written } = compiler.compile();
      findings.push(...errors);
      if (errors.length > 0) return { compiled: false };
      return { compiled: compiler.runsSources || written.length > 0, types: check(false) };
    }
    const found = await check(true);
    findings.push(...found);
    if (found.length === 0) done.push("types checked");
    return { compiled: true };
  }

  /** Aborts a running type check. */
  close(): void {
    this.#end.abort();
  }

  readonly #shown = (path: string): string => shownPath(resolve(path), this.#context.directory);

  /** The compiler of the project; undefined without a tsconfig.json. */
  #currentCompiler(): { readonly file: string; readonly compiler: Compiler } | undefined {
    const file = join(this.#project.loaded.folder, "tsconfig.json");
    if (!existsSync(file)) return undefined;
    if (this.#compiler?.file !== file) this.#compiler = { file, compiler: new Compiler(file, this.#shown) };
    return this.#compiler;
  }
}

async function timed<T>(times: Map<string, number>, step: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const value = await work();
  times.set(step, performance.now() - began);
  return value;
}

/** Maximum number of names that a line shows. */
const mostNames = 3;

/** All names, or the first few and the number of the others. */
function firstOf(names: readonly string[]): string {
  // "1 other handler" would not be shorter than the name.
  if (names.length <= mostNames + 1) return names.join(", ");
  return `${names.slice(0, mostNames).join(", ")} and ${counted(names.length - mostNames, "other handler")}`;
}

/** Whether a file changed that runs without compilation. */
function hasRunning(changed: readonly string[] | undefined): boolean {
  return changed === undefined || changed.some((path) => /\.(?:[cm]?jsx?|json)$/.test(path));
}

interface PlannedData {
  readonly files?: readonly { readonly action: string }[];
}

/** The number of files that a run of `generate` has written or deleted. */
function changedFiles({ data }: Outcome): number {
  const { files = [], contracts = [] } = (data ?? {}) as PlannedData & { contracts?: readonly PlannedData[] };
  const all = [...files, ...contracts.flatMap((each) => each.files ?? [])];
  return all.filter(({ action }) => action !== "UNCHANGED").length;
}
