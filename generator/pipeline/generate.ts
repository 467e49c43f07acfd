import { type JsonObject, type JsonValue, canonicalText } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { nameAdvice } from "../diagnostics/suggest.js";
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
} from "../targets/typescript/emitter.js";
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
  /** Revisions whose own files are not generated; only files that all revisions share include them. */
  readonly kept?: readonly string[];
  /** Extensions; each is generated over its bases among the sources. */
  readonly extensions?: readonly StoredExtension[];
  /**
   * Package that contains the files of the sources. Only files of extensions are then emitted, and they
   * import the package.
   */
  readonly basePackage?: string;
  /**
   * Id of the revision whose types handlers and clients use; default: the newest released one of the sources.
   */
  readonly vocabulary?: string | undefined;
  /** Folder with docs.json and the revisions' lock. */
  readonly schemaDir: string;
  /** Names of emitters (see `emitterNames`); default: all. */
  readonly only?: readonly string[];
  /** Folder with templates that replace shipped ones. */
  readonly templatesDir?: string;
  /** Emit a package.json with these members. */
  readonly packageManifest?: PackageManifest;
  readonly importExtension: "js" | "ts";
  /**
   * Returns the finished files of a revision if those made from inputs with this fingerprint are available;
   * its emitters then do not run.
   */
  readonly reuse?: (revision: string, fingerprint: string) => ReadonlyMap<string, string> | undefined;
}

export interface Generated {
  /** Content by path below the output folder. */
  readonly files: ReadonlyMap<string, string>;
  /** SHA-256 of the input files of each revision. */
  readonly inputs: ReadonlyMap<string, LoadedRevision["inputs"]>;
  /** Hash of all inputs of each revision's own files; kept revisions have none. */
  readonly fingerprints: ReadonlyMap<string, string>;
  readonly models: readonly ProtocolModel[];
  readonly extensions: readonly LoadedExtension[];
  readonly assumptions: readonly (Assumption & { readonly revision: string })[];
  /** Unconfirmed carried notes, with their folder below the schema folder. */
  readonly carried: readonly { readonly folder: string; readonly note: Note }[];
  /** Notes that contradict the schema, with their folder below the schema folder. */
  readonly conflicts: readonly (NoteConflict & { readonly folder: string })[];
  /** Durations in milliseconds. */
  readonly timings: { readonly read: number; readonly emit: number; readonly format: number };
}

/**
 * Emitters by their name in `--only`, in order of execution. Each is loaded only if its output is requested.
 */
interface Emitters<Input> {
  readonly [name: string]: () => Promise<Emitter<Input>>;
}

/** Emitters that need only a JSON Schema; one output per revision. */
export const schemaEmitters: Emitters<SchemaInput> = {
  types: async () => (await import("../targets/typescript/types/emit.js")).emitTypes,
  validators: async () => (await import("../targets/typescript/validators/emit.js")).emitValidators,
  explain: async () => (await import("../targets/typescript/explain/emit.js")).emitExplain,
};

const ofModels: Emitters<ModelInput> = {
  methods: async () => (await import("../targets/typescript/methods/emit.js")).emitMethods,
  client: async () => (await import("../targets/typescript/stubs/emit.js")).emitClient,
  server: async () => (await import("../targets/typescript/stubs/emit.js")).emitServer,
  steps: async () => (await import("../targets/typescript/steps/emit.js")).emitSteps,
  vectors: async () => (await import("../targets/typescript/vectors/emit.js")).emitVectors,
};

/** Emitters that need the protocol model; one output per revision. */
export const modelEmitters: Emitters<ModelInput> = {
  ...ofModels,
  protocol: async () => (await import("../targets/typescript/protocol-report/emit.js")).emitProtocolReport,
};

/** Emitters for an extension over one of its bases. */
export const baseEmitters: Emitters<ExtensionInput> = {
  ...ofModels,
  extension: async () => (await import("../targets/typescript/protocol-report/emit.js")).emitExtensionReport,
  channel: async () => (await import("../targets/typescript/extension/channel.js")).emitChannel,
};

/** Emitters whose output covers all bases of an extension. */
export const wholeEmitters: Emitters<WholeExtensionInput> = {
  authoring: async () =>
    (await import("../targets/typescript/extension/authoring.js")).emitExtensionAuthoring,
  open: async () => (await import("../targets/typescript/authoring/emit-open.js")).emitExtensionOpen,
  client: async () => (await import("../targets/typescript/extension/roles.js")).emitExtensionForClients,
  server: async () => (await import("../targets/typescript/extension/roles.js")).emitExtensionForServers,
  index: async () => (await import("../targets/typescript/workspace-index/emit.js")).emitExtensionExplained,
};

/** Emitters whose output covers all revisions. */
export const workspaceEmitters: Emitters<WorkspaceInput> = {
  model: async () => (await import("../targets/typescript/shared-types/emit.js")).emitSharedModel,
  validators: async () => (await import("../targets/typescript/validators/emit.js")).emitSharedChecks,
  stepping: async () => (await import("../targets/typescript/steps/emit.js")).emitStepping,
  authoring: async () => (await import("../targets/typescript/authoring/emit.js")).emitAuthoring,
  open: async () => (await import("../targets/typescript/authoring/emit-open.js")).emitOpen,
  explain: async () => (await import("../targets/typescript/explain/emit.js")).emitExplainer,
  index: async () => (await import("../targets/typescript/workspace-index/emit.js")).emitIndex,
  package: async () => (await import("../targets/typescript/package/emit.js")).emitPackage,
};

/** The values of `--only`: an emitter has the name of the file it writes. */
export const emitterNames: readonly string[] = [
  ...new Set([
    ...Object.keys(schemaEmitters),
    ...Object.keys(modelEmitters),
    ...Object.keys(workspaceEmitters),
    ...Object.keys(baseEmitters),
    ...Object.keys(wholeEmitters),
  ]),
];

/** Names of emitters in earlier versions, with the emitter that replaces each. */
const replaced: ReadonlyMap<string, string> = new Map([
  ["check", "explain"],
  ["issues", "explain"],
]);

/**
 * Generates all files of the output from schemas and notes. Reads inputs and writes nothing; the same input
 * gives the same bytes.
 *
 * @throws CodedError for an invalid input, or if `only` names an unknown emitter (MG1007)
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
  const order = [...revisions.keys()];
  const about = aboutEach(revisions);
  const shared = [vocabulary ?? null, ...(words ?? [])];
  const fingerprints = new Map(
    wanted.map(([revision]) => [revision, fingerprintOf(revision, order, about, shared)]),
  );
  const files = new Map<string, string>();
  for (const extension of extensions)
    fingerprints.set(extension.folder, extensionFingerprint(extension, about, vocabulary));
  const isChanged = (folder: string): boolean => {
    const known = request.reuse?.(folder, fingerprints.get(folder)!);
    for (const [path, content] of known ?? []) files.set(path, content);
    return known === undefined;
  };
  const changed = wanted.filter(([revision]) => isChanged(revision));
  const changedExtensions = extensions.filter(({ folder }) => isChanged(folder));
  let format = 0;
  // Finish each file before the next is emitted, so that intermediate data of only one file is in memory.
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
  const steps = isWanted("steps", request)
    ? await import("../targets/typescript/steps/problems.js")
    : undefined;
  return wanted.flatMap(([revision, { model, assumptions }]) => {
    const previous = models[models.indexOf(model) - 1];
    const ofSteps = previous && steps ? steps.stepAssumptions(previous, model) : [];
    return [...assumptions, ...ofSteps].map((assumption) => ({ ...assumption, revision }));
  });
}

/**
 * Conflicts between notes and schemas of revisions, including carried notes whose places have changed since
 * the preceding revision.
 */
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
 * Checks that requests without a revision header belong to at most one revision.
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

/**
 * The fingerprint of a revision's files. These also depend on the neighbouring revisions: they contain steps
 * to the preceding one, and import the steps of the next.
 */
function fingerprintOf(
  revision: string,
  order: readonly string[],
  about: ReturnType<typeof aboutEach>,
  vocabulary: JsonValue,
): string {
  const place = order.indexOf(revision);
  const inputs = [about(revision), about(order[place - 1]), order[place + 1] ?? null, vocabulary];
  return sha256(canonicalText(inputs));
}

/** The inputs of each revision's files. */
function aboutEach(
  all: ReadonlyMap<string, LoadedRevision>,
): (revision: string | undefined) => JsonObject | null {
  return (revision) => {
    const loaded = revision === undefined ? undefined : all.get(revision);
    return loaded ? { ...loaded.inputs, revision: loaded.model.revision, status: loaded.model.status } : null;
  };
}

/** Ids of the revisions that can be bases of an extension. */
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
    // Without template overrides this is a bug in mcpgen.
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

/** All of them, and the vocabulary. */
interface AllSubjects extends Subjects {
  /** Id of the revision whose types handlers and clients use. */
  readonly vocabulary: string | undefined;
  readonly words: Words | undefined;
}

/**
 * Emits files one by one, on demand.
 *
 * @param changed the subjects whose own files are wanted, besides shared files
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
      // The layout of a user's template is unknown, so its output is not marked as formatted.
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
    const { base, whole } = extensionRuns(extension, vocabulary);
    for (const input of base) {
      yield* run(schemaEmitters, { ...common, ...input, schema: input.model.schema });
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
    throw new CodedError("MG1007", `there is no output ${JSON.stringify(name)}`, {
      next:
        successor !== undefined
          ? `Write ${successor}: it replaces ${name}, and \`explainX(value)\` replaces \`checkX(value)\`.`
          : nameAdvice(name, emitterNames, `Choose among ${emitterNames.join(", ")}.`),
    });
  }
}
