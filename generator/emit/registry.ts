import { emitAuthoring } from "./authoring/emit.js";
import { emitExtensionOpen, emitOpen } from "./authoring/emit-open.js";
import { emitExplain, emitExplainer } from "./explain/emit.js";
import type {
  Emitter,
  ExtensionInput,
  ModelInput,
  SchemaInput,
  WorkspaceInput,
  WholeExtensionInput,
} from "./emitter.js";
import { emitExtensionAuthoring } from "./extension/authoring.js";
import { emitChannel } from "./extension/channel.js";
import { emitExtensionForClients, emitExtensionForServers } from "./extension/roles.js";
import { emitMethods } from "./methods/emit.js";
import { emitPackage } from "./package/emit.js";
import { emitExtensionReport, emitProtocolReport } from "./protocol-report/emit.js";
import { emitSharedModel } from "./shared-types/emit.js";
import { emitSteps, emitStepping } from "./steps/emit.js";
import { emitClient, emitServer } from "./stubs/emit.js";
import { emitTypes } from "./types/emit.js";
import { emitSharedChecks, emitValidators } from "./validators/emit.js";
import { emitVectors } from "./vectors/emit.js";
import { emitExtensionExplained, emitIndex } from "./workspace-index/emit.js";

/** Emitters by the name `--only` knows them under, in the order they run. */
interface Emitters<Input> {
  readonly [name: string]: Emitter<Input>;
}

/** Output made from JSON Schema alone, one set a revision. */
export const schemaEmitters: Emitters<SchemaInput> = {
  types: emitTypes,
  validators: emitValidators,
  explain: emitExplain,
};

const ofModels: Emitters<ModelInput> = {
  methods: emitMethods,
  client: emitClient,
  server: emitServer,
  steps: emitSteps,
  vectors: emitVectors,
};

/** Output made from the protocol model, one set a revision. */
export const modelEmitters: Emitters<ModelInput> = { ...ofModels, protocol: emitProtocolReport };

/** The same of an extension over one of its bases. */
export const baseEmitters: Emitters<ExtensionInput> = {
  ...ofModels,
  extension: emitExtensionReport,
  channel: emitChannel,
};

/** Output that covers all bases of an extension. */
export const wholeEmitters: Emitters<WholeExtensionInput> = {
  authoring: emitExtensionAuthoring,
  open: emitExtensionOpen,
  client: emitExtensionForClients,
  server: emitExtensionForServers,
  index: emitExtensionExplained,
};

/** Output that covers all revisions. */
export const workspaceEmitters: Emitters<WorkspaceInput> = {
  model: emitSharedModel,
  validators: emitSharedChecks,
  stepping: emitStepping,
  authoring: emitAuthoring,
  open: emitOpen,
  explain: emitExplainer,
  index: emitIndex,
  package: emitPackage,
};
