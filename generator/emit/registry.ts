import type {
  Emitter,
  ExtensionInput,
  ModelInput,
  SchemaInput,
  WorkspaceInput,
  WholeExtensionInput,
} from "./emitter.js";

/**
 * Emitters by the name `--only` knows them under, in the order they run. Each is loaded by the runs that want its output.
 */
interface Emitters<Input> {
  readonly [name: string]: () => Promise<Emitter<Input>>;
}

/** Output made from JSON Schema alone, one set a revision. */
export const schemaEmitters: Emitters<SchemaInput> = {
  types: async () => (await import("./types/emit.js")).emitTypes,
  validators: async () => (await import("./validators/emit.js")).emitValidators,
  explain: async () => (await import("./explain/emit.js")).emitExplain,
};

const ofModels: Emitters<ModelInput> = {
  methods: async () => (await import("./methods/emit.js")).emitMethods,
  client: async () => (await import("./stubs/emit.js")).emitClient,
  server: async () => (await import("./stubs/emit.js")).emitServer,
  steps: async () => (await import("./steps/emit.js")).emitSteps,
  vectors: async () => (await import("./vectors/emit.js")).emitVectors,
};

/** Output made from the protocol model, one set a revision. */
export const modelEmitters: Emitters<ModelInput> = {
  ...ofModels,
  protocol: async () => (await import("./protocol-report/emit.js")).emitProtocolReport,
};

/** The same of an extension over one of its bases. */
export const baseEmitters: Emitters<ExtensionInput> = {
  ...ofModels,
  extension: async () => (await import("./protocol-report/emit.js")).emitExtensionReport,
  channel: async () => (await import("./extension/channel.js")).emitChannel,
};

/** Output that covers all bases of an extension. */
export const wholeEmitters: Emitters<WholeExtensionInput> = {
  authoring: async () => (await import("./extension/authoring.js")).emitExtensionAuthoring,
  open: async () => (await import("./authoring/emit-open.js")).emitExtensionOpen,
  client: async () => (await import("./extension/roles.js")).emitExtensionForClients,
  server: async () => (await import("./extension/roles.js")).emitExtensionForServers,
  index: async () => (await import("./workspace-index/emit.js")).emitExtensionExplained,
};

/** Output that covers all revisions. */
export const workspaceEmitters: Emitters<WorkspaceInput> = {
  model: async () => (await import("./shared-types/emit.js")).emitSharedModel,
  validators: async () => (await import("./validators/emit.js")).emitSharedChecks,
  stepping: async () => (await import("./steps/emit.js")).emitStepping,
  authoring: async () => (await import("./authoring/emit.js")).emitAuthoring,
  open: async () => (await import("./authoring/emit-open.js")).emitOpen,
  explain: async () => (await import("./explain/emit.js")).emitExplainer,
  index: async () => (await import("./workspace-index/emit.js")).emitIndex,
  package: async () => (await import("./package/emit.js")).emitPackage,
};
