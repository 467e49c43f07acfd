import { randomUUID } from "node:crypto";
import { join, resolve, dirname } from "node:path";
import { existsSync } from "node:fs";
import { type JsonObject, canonicalText } from "@mcpgen/engine";
import type { Finding } from "../../diagnostics/coded-error.js";
import {
  cacheFile,
  readCached,
  writeCached,
  generatorFingerprint,
  fileFingerprint,
  folderFingerprint,
} from "../../files/cache.js";
import { type CommandContext, type Outcome, repeatedWithout, exitCodeOf, withFindings } from "../command.js";
import { counted, shownPath } from "../../print/terminal-text.js";
import { trustsCache } from "../comparison.js";
import type { ProjectRun, ContractTarget } from "../project.js";
import { type UserFiles, userFiles } from "../../files/user-files.js";
import { listOutput } from "../../files/plan.js";
import { generatedContracts } from "../../config/config.js";
import { sha256, readRegularText } from "../../files/regular-file.js";
import { parseCommentedJson } from "../../files/commented-json.js";

/** State that a check without errors leaves for the next run. */
interface CachedCheck {
  readonly format: 1;
  /** Hash of mcpgen and of every input that is known before any file is read. */
  readonly key: string;
  /** Hashes of further files that the check turned out to depend on. */
  readonly read: Readonly<Record<string, string>>;
  readonly outcome: Outcome;
}

/**
 * Checks the output of the configured contracts against what would be generated, and the handlers of their
 * servers against the contracts. If no input has changed since a check without errors, returns that check's
 * outcome.
 *
 * @param generator hash of mcpgen; without it, nothing is cached
 */
export async function checkConfigured(
  targets: readonly ContractTarget[],
  run: ProjectRun,
  generator = generatorFingerprint(),
): Promise<Outcome> {
  const { args, project, context } = run;
  const files = userFiles(project.loaded.folder, new Set(targets.map(({ outDir }) => outDir)));
  const state = { ...run, targets, files };
  const key = generator === undefined ? undefined : contractInputs(state, generator);
  const place = cacheFile(context.env, `contracts of ${project.loaded.folder}`);
  const trust = key !== undefined && !args.flag("full") && trustsCache(context.env);
  const cached = trust ? readCached<CachedCheck>(place, 1) : undefined;
  if (cached?.key === key && cached && isAsRead(cached.read)) {
    context.console.detail("nothing changed since the last complete run (--full checks everything)");
    return cached.outcome;
  }
  const { outcome, read } = await checkUncached(state);
  if (key !== undefined && exitCodeOf(outcome) === 0)
    writeCached<CachedCheck>(place, { format: 1, key, read: fingerprintsOf(read), outcome });
  return outcome;
}

function isAsRead(read: CachedCheck["read"]): boolean {
  const now = fingerprintsOf(Object.keys(read));
  return Object.entries(read).every(([path, hash]) => now[path] === hash);
}

interface Checked {
  readonly outcome: Outcome;
  /** Files outside the project that the outcome depends on. */
  readonly read: readonly string[];
}

async function checkUncached(inputs: ContractInputs): Promise<Checked> {
  const { targets, project, context, files } = inputs;
  // Load the generator only if an input may have changed.
  const { checkContracts } = await import("../contract-output.js");
  const modules = moduleKinds(targets, context);
  const checked = await checkContracts(targets, inputs);
  const output = { ...checked, findings: [...(checked.findings ?? []), ...modules.findings] };
  const { serverContracts } = await import("../sync/server-contracts.js");
  const contracts = files.code.length === 0 ? [] : await serverContracts(project, context);
  if (contracts.length === 0) return { outcome: output, read: modules.read };
  // This module loads the TypeScript compiler, which only projects with a server need.
  const { missingFindings, readHandlers } = await import("../sync/handlers.js");
  const report = await readHandlers(files.code, contracts, project, context);
  const missing = report.files.flatMap(missingFindings);
  const handlers = report.files.filter(({ anchored }) => anchored.length > 0).map(({ file }) => file);
  const findings = [...report.findings, ...missing];
  const { codeFindings } = await import("../lint.js");
  const ofCode = await codeFindings(project.loaded.folder, context);
  return {
    outcome: withFindings(
      withHandlers(output, { findings, isMissing: missing.length > 0, handlers }, context),
      ofCode,
    ),
    read: [...modules.read, ...report.read],
  };
}

/**
 * Combines both outcomes. A contract without handlers is not a finding: its server may be written elsewhere.
 */
function withHandlers(
  output: Outcome,
  {
    findings: found,
    isMissing,
    handlers,
  }: {
    readonly findings: readonly Finding[];
    readonly isMissing: boolean;
    readonly handlers: readonly string[];
  },
  { words }: CommandContext,
): Outcome {
  const findings = [...(output.findings ?? []), ...found];
  const errors = findings.filter(({ severity }) => severity === "error");
  const complete =
    handlers.length === 0 || found.length > 0
      ? ""
      : `, handlers in ${counted(handlers.length, "file")} fit it`;
  const mend = output.mend ?? (isMissing ? repeatedWithout(words, ["--full"], "sync") : undefined);
  return {
    ...output,
    findings,
    summary: errors.length === 0 ? `${output.summary}${complete}` : counted(findings.length, "finding"),
    ...(mend !== undefined && { mend }),
    data: { ...output.data, handlers },
  };
}

/** The inputs of a check of contracts. */
interface ContractInputs extends ProjectRun {
  readonly targets: readonly ContractTarget[];
  /** The user's code, in which handlers are looked for. */
  readonly files: UserFiles;
}

/** Hash of all inputs, including the contents of files. */
function contractInputs(
  { targets, project: { loaded, templatesDir, importExtension }, context, files }: ContractInputs,
  generator: string,
): string {
  const options = {
    contracts: generatedContracts(loaded.config).map(({ file, out, role, formats = null, base = null }) => ({
      ...{ file, out, role },
      ...{ formats, base },
    })),
    extension: importExtension,
    templates: templatesDir ?? null,
  } satisfies JsonObject;
  const outputs = targets.flatMap(({ outDir }) => listOutput(outDir).map((path) => join(outDir, path)));
  const paths = [...targets.map(({ file }) => file), ...outputs, ...files.code, ...files.settings];
  return sha256(
    [
      generator,
      // Messages show paths relative to this folder.
      context.directory,
      loaded.folder,
      canonicalText(options),
      folderFingerprint(templatesDir),
      // The files that schemas refer to are known only after reading them. A random value then prevents
      // reuse.
      targets.some(({ base }) => base !== undefined) ? randomUUID() : "",
      ...Object.entries(fingerprintsOf(paths)).map((each) => each.join(" ")),
    ].join("\n"),
  );
}

/** The hash of each file's content by path, or "unreadable". */
function fingerprintsOf(paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, fingerprintOf(path)]));
}

function fingerprintOf(path: string): string {
  try {
    return fileFingerprint(path);
  } catch {
    return "unreadable";
  }
}

/** Maximum length of a chain of `extends` in tsconfig.json files. */
const mostExtended = 8;

/** Findings about the module format that TypeScript gives the output of contracts. */
interface ModuleKinds {
  readonly findings: readonly Finding[];
  /** Files that the findings depend on. */
  readonly read: readonly string[];
}

/**
 * Warns of output folders whose TypeScript is compiled to CommonJS: the generated code and the packages that
 * it imports are ES modules. The nearest package.json and tsconfig.json of each folder decide, as they do for
 * the compiler.
 */
function moduleKinds(targets: readonly ContractTarget[], { directory }: CommandContext): ModuleKinds {
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

/**
 * The option `module` of a configuration or of the files that it extends. Configurations in packages are not
 * followed.
 */
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
