import { resolve } from "node:path";
import type { JsonValue } from "@mcpgen/engine";
import {
  type ExtensionDifferences,
  type ExtensionOverBases,
  brokenChannel,
  diffExtensions,
} from "../../diff/extension/diff-extensions.js";
import type { Report } from "../../diff/report/report.js";
import type { Approved } from "../../diff/policy/approvals.js";
import { type Finding, CodedError } from "../../diagnostics/coded-error.js";
import type { CommandContext } from "../command.js";
import type { ProjectRun } from "../project.js";
import { type Evaluation, placesIn, evaluate } from "./report.js";
import { hasProse } from "../../extension/add/verify-upstream.js";
import { type LoadedBase, loadBases } from "../../extension/add/bases.js";
import { type ComparedExtension, comparedExtension } from "../../extension/add/compared-model.js";
import { stageExtension } from "../../extension/add/add.js";
import {
  type ExtensionSource,
  type StoredExtension,
  readExtension,
  readStoredExtension,
  expectExtension,
  extensionKey,
  filesOf,
  storedExtensions,
} from "../../extension/extension-store.js";
import { type JsonFile, loadJson } from "../../files/json-file.js";
import { readLock, revisionsFolder } from "../../revision/lock.js";
import { type UpstreamFile, readUpstream } from "../../revision/schema-source.js";
import { shownPath } from "../../print/terminal-text.js";

/** The result of comparing two versions of an extension. */
export interface ComparedExtensions {
  readonly report: Report;
  readonly approved: Approved;
  /** Findings of the rule that a breaking change needs another id. */
  readonly findings: readonly Finding[];
}

/**
 * Compares two versions of an extension, or one with a file; undefined if neither name is an extension.
 *
 * @throws CodedError MG2005 for options that apply only to revisions or contracts
 */
export async function compareExtensions(
  names: readonly [string, string],
  evaluation: Evaluation,
  { args, project: { schemaDir }, context }: ProjectRun,
): Promise<ComparedExtensions | undefined> {
  const known = names.map((name) => isExtensionName(schemaDir, name));
  if (!known.includes(true)) return undefined;
  const stray = ["for", "uses"].find((option) => args.given(option));
  if (stray !== undefined)
    throw new CodedError("MG2005", `--${stray} is not about extensions`, { next: "Leave it out." });
  const sides = new ExtensionSides(schemaDir, context);
  const [first, second] = names;
  if (known.every(Boolean))
    return compareSides(await sides.stored(first), await sides.stored(second), evaluation);
  if (known[0]) {
    const old = await sides.stored(first);
    return compareSides(old, await sides.published(second, old.stored), evaluation);
  }
  const next = await sides.stored(second);
  return compareSides(await sides.published(first, next.stored), next, evaluation);
}

/** Compares two versions over each base revision that both extend. */
export function compareSides(
  old: ExtensionSide,
  next: ExtensionSide,
  evaluation: Evaluation,
): ComparedExtensions {
  const compared = diffExtensions(old.models, next.models, evaluation.policy);
  const { report, approved } = evaluate(compared.differences, evaluation, {
    ...{ from: old.name, to: next.name },
    placesOf: placesIn(old, next, compared.differences),
    notes: [`Compared over ${compared.compared.join(", ") || "no base: the versions share none"}.`],
  });
  return { report, approved, findings: sameIdFindings(old, next, compared, report) };
}

/**
 * SEP-2133: a breaking change must use a new identifier. It is an error unless the old version is a draft,
 * then a warning.
 */
function sameIdFindings(
  old: ExtensionSide,
  next: ExtensionSide,
  compared: ExtensionDifferences,
  report: Report,
): Finding[] {
  const { id, status } = old.source.about;
  if (id !== next.source.about.id) return [];
  const broken = report.findings.filter(({ worst, approval }) => worst === "breaking" && !approval).length;
  const reasons = [
    ...(broken > 0 ? [`${broken} breaking ${broken === 1 ? "change" : "changes"}`] : []),
    ...compared.dropped.map((base) => `the base ${base} is gone`),
    ...(["client", "server"] as const).flatMap((side) => {
      const [before, after] = [old.source.about.declared[side], next.source.about.declared[side]];
      return before === undefined || before === after ? [] : [`the ${side} declares it elsewhere`];
    }),
    ...brokenChannel(old.source, next.source),
  ];
  if (reasons.length === 0) return [];
  const message = `extension-breaking-same-id: ${reasons.join(", ")}, and the id is still ${id} (SEP-2133: breaking changes must use a new identifier)`;
  const finding = { code: "MG1311", message, place: { file: next.shown } } as const;
  const advice = `Give the new version another id, e.g. ${id}-v2, or take the change back.`;
  return [
    status === "draft"
      ? { ...finding, severity: "warning", next: `${advice} ${old.name} is a draft, so this is a warning.` }
      : { ...finding, severity: "error", next: advice },
  ];
}

/** A version of an extension, read over each of its bases. */
interface ExtensionSide {
  /** `ID@VERSION`, or the name of the file. */
  readonly name: string;
  readonly source: ExtensionSource;
  readonly models: ExtensionOverBases;
  /** Its schema. */
  readonly file: JsonFile;
  /** The path of the schema, as messages print it. */
  readonly shown: string;
}

/** Whether a name of the command line has the id of a stored extension: `ID`, or `ID@VERSION` of any version. */
export function isExtensionName(schemaDir: string, name: string): boolean {
  return storedExtensions(schemaDir).some(({ id }) => id === name || name.startsWith(`${id}@`));
}

/** Reads versions of extensions. Reads each base once. */
export class ExtensionSides {
  private readonly bases = new Map<string, Promise<LoadedBase>>();
  private readonly schemaDir: string;
  private readonly context: CommandContext;

  constructor(schemaDir: string, context: CommandContext) {
    this.schemaDir = schemaDir;
    this.context = context;
  }

  /** @throws CodedError MG1306 and those of `readStoredExtension` and `comparedExtension` */
  async stored(name: string): Promise<ExtensionSide & { readonly stored: StoredExtension }> {
    const stored = expectExtension(this.schemaDir, name);
    const source = await readStoredExtension(stored, [...readLock(revisionsFolder(this.schemaDir)).keys()]);
    const { schema } = filesOf(stored);
    return {
      ...{ name: extensionKey(stored), source, stored },
      models: await this.modelsOf(source),
      file: await loadJson(schema),
      shown: shownPath(schema, this.context.directory),
    };
  }

  /**
   * Reads a file as the next version of a stored extension: over the same bases, and with those notes of the
   * stored version that still apply.
   */
  async published(
    name: string,
    like: StoredExtension,
    read?: UpstreamFile,
  ): Promise<ExtensionSide & { readonly dropped: readonly string[] }> {
    const { schemaDir, context } = this;
    const upstream = read ?? (await readUpstream(name, context));
    const staged = await stageExtension({
      ...{ schemaDir, source: upstream, id: like.id, version: comparedVersion, previous: like },
      descriptions: hasProse((await loadJson(filesOf(like).schema)).text),
      replace: true,
    });
    const written = (file: string): JsonFile => {
      const change = staged.changes.find(({ path }) => path.endsWith(`/${file}`));
      const text = String(change!.content);
      return { file: upstream.file, text, value: JSON.parse(text) as JsonValue };
    };
    const schema = written("schema.json");
    const source = await readExtension({
      extension: written("extension.json"),
      schema,
      notes: written("notes.json"),
    });
    return {
      ...{ name: upstream.file, source, dropped: staged.notes.dropped },
      models: await this.modelsOf(source),
      file: upstream,
      shown:
        upstream.url === undefined && upstream.file !== "standard input"
          ? shownPath(resolve(context.directory, upstream.file), context.directory)
          : upstream.file,
    };
  }

  private async modelsOf(source: ExtensionSource): Promise<ExtensionOverBases> {
    const models = new Map<string, ComparedExtension>();
    for (const revision of source.about.bases)
      models.set(revision, await comparedExtension(source, await this.base(revision)));
    return models;
  }

  private base(revision: string): Promise<LoadedBase> {
    const known =
      this.bases.get(revision) ?? loadBases(this.schemaDir, [revision], this.schemaDir).then(([one]) => one!);
    this.bases.set(revision, known);
    return known;
  }
}

/** Version name of a compared file while it is read. No stored version has it. */
const comparedVersion = "compared-file";
