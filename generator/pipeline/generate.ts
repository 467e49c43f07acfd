import { type JsonObject, type JsonValue, canonicalText } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { closest } from "../diagnostics/suggest.js";
import type {
  Emitter,
  Files,
  PackageManifest,
  Surroundings,
  WorkspaceInput,
  ExtensionInput,
  ModelInput,
  SchemaInput,
  WholeExtensionInput,
} from "../emit/emitter.js";
import type { EmittedFile } from "../print/emitted-file.js";
import { type Words, type Assumption, type ProtocolModel, wordsOf, vocabularyOf } from "../model/model.js";
import { loadTemplates, overridesIn } from "../print/templates.js";
import { format } from "../print/format.js";
import type { StoredExtension } from "../extension/extension-store.js";
import { readLock } from "../revision/lock.js";
import {
  type LoadedExtension,
  carriedNotes,
  conflictsOfExtension,
  extensionFingerprint,
  extensionRuns,
  loadExtensions,
  sideOf,
} from "./extensions.js";
import { loadDocumentation } from "../revision/schema-source.js";
import { type LoadedRevision, type RevisionSource, loadRevision } from "../revision/revision-source.js";
import type { NoteConflict, Note } from "../notes/note.js";
import { sha256 } from "../files/regular-file.js";

export interface GenerateRequest {
  /** Oldest first. */
  readonly sources: readonly RevisionSource[];
  /** Sources whose own files stay as they are; only the files that all revisions share include them. */
  readonly kept?: readonly string[];
  /** Extensions; each is generated over those of its bases that are among the sources. */
  readonly extensions?: readonly StoredExtension[];
  /** Package that has the files of the sources: only those of extensions are emitted, and they import the package. */
  readonly basePackage?: string;
  /** Id of the revision that handlers write and clients read; without it, the newest released of the sources. */
  readonly vocabulary?: string | undefined;
  /** Folder that holds docs.json and the lock of the revisions. */
  readonly schemaDir: string;
  /** Names of emitters (see `emitterNames`); all without it. */
  readonly only?: readonly string[];
  /** Folder of template overrides. */
  readonly templatesDir?: string;
  /** Emit a package.json with these members. */
  readonly packageManifest?: PackageManifest;
  readonly importExtension: "js" | "ts";
  /**
   * The finished files of a revision, if those made from inputs with this fingerprint are at hand: its
   * emitters are not run again.
   */
  readonly reuse?: (revision: string, fingerprint: string) => ReadonlyMap<string, string> | undefined;
}

export interface Generated {
  /** Content by path below the output folder. */
  readonly files: ReadonlyMap<string, string>;
  /** sha256 of the input files of each revision. */
  readonly inputs: ReadonlyMap<string, LoadedRevision["inputs"]>;
  /** Hash of all that a revision's own files are made from, by revision; none for those that are kept. */
  readonly fingerprints: ReadonlyMap<string, string>;
  readonly models: readonly ProtocolModel[];
  readonly extensions: readonly LoadedExtension[];
  readonly assumptions: readonly (Assumption & { readonly revision: string })[];
  /** Notes that are not confirmed, by their folder below the schema folder. */
  readonly carried: readonly { readonly folder: string; readonly note: Note }[];
  /** Notes that say otherwise than the schema, by their folder below the schema folder. */
  readonly conflicts: readonly (NoteConflict & { readonly folder: string })[];
  /** Milliseconds. */
  readonly timings: { readonly read: number; readonly emit: number; readonly format: number };
}

/**
 * Emitters by the name `--only` knows them under, in the order they run. Each is loaded by the runs that want its output.
 */
interface Emitters<Input> {
  readonly [name: string]: () => Promise<Emitter<Input>>;
}

/** Output made from JSON Schema alone, one set a revision. */
export const schemaEmitters: Emitters<SchemaInput> = {
  types: async () => (await import("../emit/types/emit.js")).emitTypes,
  validators: async () => (await import("../emit/validators/emit.js")).emitValidators,
  explain: async () => (await import("../emit/explain/emit.js")).emitExplain,
};

const ofModels: Emitters<ModelInput> = {
  methods: async () => (await import("../emit/methods/emit.js")).emitMethods,
  client: async () => (await import("../emit/stubs/emit.js")).emitClient,
  server: async () => (await import("../emit/stubs/emit.js")).emitServer,
  steps: async () => (await import("../emit/steps/emit.js")).emitSteps,
  vectors: async () => (await import("../emit/vectors/emit.js")).emitVectors,
};

/** Output made from the protocol model, one set a revision. */
export const modelEmitters: Emitters<ModelInput> = {
  ...ofModels,
  protocol: async () => (await import("../emit/protocol-report/emit.js")).emitProtocolReport,
};

/** The same of an extension over one of its bases. */
export const baseEmitters: Emitters<ExtensionInput> = {
  ...ofModels,
  extension: async () => (await import("../emit/protocol-report/emit.js")).emitExtensionReport,
  channel: async () => (await import("../emit/extension/channel.js")).emitChannel,
};

/** Output that covers all bases of an extension. */
export const wholeEmitters: Emitters<WholeExtensionInput> = {
  authoring: async () => (await import("../emit/extension/authoring.js")).emitExtensionAuthoring,
  open: async () => (await import("../emit/authoring/emit-open.js")).emitExtensionOpen,
  client: async () => (await import("../emit/extension/roles.js")).emitExtensionForClients,
  server: async () => (await import("../emit/extension/roles.js")).emitExtensionForServers,
  index: async () => (await import("../emit/workspace-index/emit.js")).emitExtensionExplained,
};

/** Output that covers all revisions. */
export const workspaceEmitters: Emitters<WorkspaceInput> = {
  model: async () => (await import("../emit/shared-types/emit.js")).emitSharedModel,
  validators: async () => (await import("../emit/validators/emit.js")).emitSharedChecks,
  stepping: async () => (await import("../emit/steps/emit.js")).emitStepping,
  authoring: async () => (await import("../emit/authoring/emit.js")).emitAuthoring,
  open: async () => (await import("../emit/authoring/emit-open.js")).emitOpen,
  explain: async () => (await import("../emit/explain/emit.js")).emitExplainer,
  index: async () => (await import("../emit/workspace-index/emit.js")).emitIndex,
  package: async () => (await import("../emit/package/emit.js")).emitPackage,
};

/** The values of `--only`: an emitter is named after the file that it writes. */
export const emitterNames: readonly string[] = [
  ...new Set([
    ...Object.keys(schemaEmitters),
    ...Object.keys(modelEmitters),
    ...Object.keys(workspaceEmitters),
    ...Object.keys(baseEmitters),
    ...Object.keys(wholeEmitters),
  ]),
];

/** Emitters of earlier versions, by the name of the emitter that replaces them. */
const replaced: ReadonlyMap<string, string> = new Map([
  ["check", "explain"],
  ["issues", "explain"],
]);

/**
 * Makes every file of the output from schemas and notes. Reads its inputs and writes nothing; the same
 * input gives the same bytes.
 *
 * @throws CodedError when an input is not what it should be, or `only` names no emitter (MG1007)
 */
export async function generateFiles(request: GenerateRequest): Promise<Generated> {
  const start = performance.now();
  refuseUnknownEmitters(request.only ?? []);
  const docs = await loadDocumentation(request.schemaDir);
  const revisions = new Map<string, LoadedRevision>();
  for (const source of request.sources) revisions.set(source.revision, await loadRevision(source, docs));
  refuseSecondAssumed(revisions.values());
  const models = [...revisions.values()].map(({ model }) => model);
  const bare = new Set(
    [...revisions].filter(([, { notesFile }]) => notesFile === undefined).map(([revision]) => revision),
  );
  const extensions = await loadExtensions(request.extensions ?? [], models, storedRevisions(request), bare);
  const read = performance.now();

  const kept = new Set(request.kept);
  const emitted = request.basePackage === undefined ? [...revisions] : [];
  const wanted = emitted.filter(([revision]) => !kept.has(revision));
  const vocabulary = vocabularyOf(models, request.vocabulary)?.revision;
  const pinned = models.find(({ revision }) => revision === vocabulary);
  const words = pinned && wordsOf(pinned);
  const fingerprints = fingerprintsOf(new Map(wanted), revisions, [vocabulary ?? null, ...(words ?? [])]);
  const files = new Map<string, string>();
  const changed = wanted.filter(([revision]) => {
    const known = request.reuse?.(revision, fingerprints.get(revision)!);
    for (const [path, content] of known ?? []) files.set(path, content);
    return known === undefined;
  });
  const about = aboutEach(revisions);
  const changedExtensions = extensions.filter((extension) => {
    const fingerprint = extensionFingerprint(extension, about, vocabulary);
    fingerprints.set(extension.folder, fingerprint);
    const known = request.reuse?.(extension.folder, fingerprint);
    for (const [path, content] of known ?? []) files.set(path, content);
    return known === undefined;
  });
  let format = 0;
  // Each file is finished before the next is emitted: what one is made of is not kept beside the next.
  for await (const [path, file] of emitAll(
    { models: changed.map(([, { model }]) => model), extensions: changedExtensions },
    { models, extensions, vocabulary, words },
    request,
  )) {
    const emitted = performance.now();
    files.set(path, await finished(path, file, request));
    format += performance.now() - emitted;
  }
  return {
    files,
    fingerprints,
    inputs: new Map(emitted.map(([revision, { inputs }]) => [revision, inputs])),
    models,
    extensions,
    assumptions: [...ofExtensions(extensions), ...(await assumptionsOf(wanted, models, request))],
    carried: [
      ...wanted.flatMap(([folder, { carried }]) => carried.map((note) => ({ folder, note }))),
      ...extensions.flatMap(carriedNotes),
    ],
    conflicts: [
      ...(await conflictsOf(wanted, revisions, request)),
      ...extensions.flatMap(conflictsOfExtension),
    ],
    timings: { read: read - start, emit: performance.now() - read - format, format },
  };
}

async function assumptionsOf(
  wanted: readonly (readonly [revision: string, loaded: LoadedRevision])[],
  models: readonly ProtocolModel[],
  request: GenerateRequest,
): Promise<Generated["assumptions"]> {
  const steps = isWanted("steps", request) ? await import("../emit/steps/problems.js") : undefined;
  return wanted.flatMap(([revision, { model, assumptions }]) => {
    const previous = models[models.indexOf(model) - 1];
    const ofSteps = previous && steps ? steps.stepAssumptions(previous, model) : [];
    return [...assumptions, ...ofSteps].map((assumption) => ({ ...assumption, revision }));
  });
}

/** Conflicts of the notes of revisions, also with what the schema of the revision before said. */
async function conflictsOf(
  wanted: readonly (readonly [revision: string, loaded: LoadedRevision])[],
  revisions: ReadonlyMap<string, LoadedRevision>,
  { sources }: GenerateRequest,
): Promise<Generated["conflicts"]> {
  const all = wanted.map(async ([folder, loaded]) => {
    const place = sources.findIndex(({ revision }) => revision === folder);
    const [before, source] = [sources[place - 1], sources[place]!];
    const changed =
      before && loaded.carried.length > 0
        ? await (
            await import("../revision/carried-notes.js")
          ).changedPlaces({ source, loaded }, { source: before, loaded: revisions.get(before.revision)! })
        : [];
    return [...loaded.model.conflicts, ...changed].map((conflict) => ({ ...conflict, folder }));
  });
  return (await Promise.all(all)).flat();
}

/**
 * Requests without the header of the revision belong to one revision.
 *
 * @throws CodedError MG1203 at the note of the later revision, if two revisions claim them
 */
function refuseSecondAssumed(revisions: Iterable<LoadedRevision>): void {
  const [first, second] = [...revisions].filter(({ model }) => model.transport.includes("assumed"));
  if (!first || !second) return;
  const note = second.notes.find(({ kind, targets }) => kind === "transport" && targets.includes("assumed"));
  const message = `note of kind transport on assumed: the notes of ${first.model.revision} say it, too, and requests without the header belong to one revision`;
  throw new CodedError("MG1203", message, {
    place: { ...(second.notesFile !== undefined && { file: second.notesFile }), pointer: note!.pointer },
    next: "Keep the note of one revision.",
  });
}

/** A revision's files also say how its messages become those of the one before, and import the steps to the one after. */
function fingerprintsOf(
  wanted: ReadonlyMap<string, LoadedRevision>,
  all: ReadonlyMap<string, LoadedRevision>,
  vocabulary: JsonValue,
): Map<string, string> {
  const order = [...all.keys()];
  const about = aboutEach(all);
  return new Map(
    [...wanted.keys()].map((revision) => {
      const place = order.indexOf(revision);
      const after = order[place + 1] ?? null;
      const inputs = [about(revision), about(order[place - 1]), after, vocabulary];
      return [revision, sha256(canonicalText(inputs))];
    }),
  );
}

/** What the files of each revision are made from. */
function aboutEach(
  all: ReadonlyMap<string, LoadedRevision>,
): (revision: string | undefined) => JsonObject | null {
  return (revision) => {
    const loaded = revision === undefined ? undefined : all.get(revision);
    return loaded ? { ...loaded.inputs, revision: loaded.model.revision, status: loaded.model.status } : null;
  };
}

/** Ids of the revisions that an extension may have as bases. */
function storedRevisions({ sources, schemaDir }: GenerateRequest): string[] {
  return [...new Set([...readLock(schemaDir).keys(), ...sources.map(({ revision }) => revision)])];
}

function ofExtensions(extensions: readonly LoadedExtension[]): Generated["assumptions"] {
  return extensions.flatMap(({ source, models }) =>
    models.flatMap(({ assumptions, revision }) =>
      assumptions.map((assumption) => ({
        ...assumption,
        revision: `${source.about.id} over ${revision}`,
      })),
    ),
  );
}

async function finished(path: string, file: EmittedFile, request: GenerateRequest): Promise<string> {
  if (file.formatted || file.verbatim) return file.content;
  try {
    return await format(path, file.content);
  } catch (error) {
    // Without overrides of templates this is a bug of mcpgen.
    if (request.templatesDir === undefined) throw error;
    const [reason] = String((error as Error).message).split("\n");
    throw new CodedError("MG1006", `what the templates make of ${path} cannot be read: ${reason}`, {
      place: { file: request.templatesDir },
      next: "Correct the template, so that it gives what a file of that name holds.",
      cause: error,
    });
  }
}

/** Revisions and extensions. */
interface Subjects {
  readonly models: readonly ProtocolModel[];
  readonly extensions: readonly LoadedExtension[];
}

/** All of them, and what handlers write and clients read. */
interface AllSubjects extends Subjects {
  /** Id of one of the revisions. */
  readonly vocabulary: string | undefined;
  readonly words: Words | undefined;
}

/**
 * Each file, emitted when it is asked for.
 *
 * @param changed those whose own files are wanted, too
 */
async function* emitAll(
  changed: Subjects,
  { models, extensions, vocabulary, words }: AllSubjects,
  request: GenerateRequest,
): AsyncGenerator<readonly [path: string, file: EmittedFile]> {
  const render = loadTemplates(request.templatesDir);
  const isOverridden = overridesIn(request.templatesDir);
  async function* run<Input extends Surroundings>(
    emitters: { readonly [name: string]: () => Promise<Emitter<Input>> },
    input: Input,
  ): AsyncGenerator<readonly [string, EmittedFile]> {
    for (const [name, load] of Object.entries(emitters)) {
      if (!isWanted(name, request)) continue;
      const emitter = await load();
      let shipped = true;
      const watched: Surroundings["render"] = (template, view) => {
        if (isOverridden(template)) shipped = false;
        return render(template, view);
      };
      // How a template of the user's prints, no emitter can promise.
      for (const [path, file] of emitter({ ...input, render: watched }) satisfies Files)
        yield [path, shipped ? file : { content: file.content }];
    }
  }
  const { importExtension, basePackage } = request;
  const common = { importExtension, ...(basePackage !== undefined && { basePackage }), render };
  for (const model of changed.models) {
    const surroundings: Surroundings = {
      ...common,
      folder: model.revision,
      origin: `schema/${model.revision}`,
    };
    yield* run(schemaEmitters, { ...surroundings, schema: model.schema });
    const place = models.indexOf(model);
    const [previous, next] = [models[place - 1], models[place + 1]];
    yield* run(modelEmitters, {
      ...surroundings,
      model,
      fromVocabulary: sideOf(place - models.findIndex(({ revision }) => revision === vocabulary)),
      ...(words && { words }),
      ...(previous && { previous }),
      ...(next && { next }),
    });
  }
  for (const extension of changed.extensions) {
    const { schema, base, whole } = extensionRuns(extension, vocabulary);
    for (const [index, input] of base.entries()) {
      yield* run(schemaEmitters, { ...common, ...schema[index]! });
      yield* run(baseEmitters, { ...common, ...input });
    }
    yield* run(wholeEmitters, { ...common, ...whole });
  }
  if (basePackage !== undefined) return;
  const workspace: WorkspaceInput = {
    ...common,
    folder: "",
    origin: "schema",
    models,
    vocabulary,
    extensions: extensions.map(({ folder, models: over }) => ({
      folder,
      bases: over.map(({ revision }) => revision),
      roles: over[0]!.channel?.roles ?? [],
    })),
    ...(request.packageManifest && { packageManifest: request.packageManifest }),
  };
  yield* run(workspaceEmitters, workspace);
}

function isWanted(emitter: string, { only }: GenerateRequest): boolean {
  return only === undefined || only.includes(emitter);
}

function refuseUnknownEmitters(names: readonly string[]): void {
  for (const name of names) {
    if (emitterNames.includes(name)) continue;
    const successor = replaced.get(name);
    const suggestion = closest(name, emitterNames);
    throw new CodedError("MG1007", `there is no output ${JSON.stringify(name)}`, {
      next:
        successor !== undefined
          ? `Write ${successor}: it replaces ${name}, and \`explainX(value)\` replaces \`checkX(value)\`.`
          : suggestion === undefined
            ? `Choose among ${emitterNames.join(", ")}.`
            : `Did you mean ${suggestion}?`,
    });
  }
}
