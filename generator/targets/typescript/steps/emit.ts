import { pointer, pointerTokens } from "@mcpgen/engine";
import type { ExtensionModel } from "../../../model/extension-model.js";
import type { Note } from "../../../notes/note.js";
import type { EmittedFile } from "../../../print/emitted-file.js";
import { copyModule } from "../copied-module.js";
import {
  type Emitter,
  type ExtensionInput,
  type ModelInput,
  type WorkspaceInput,
  isOfExtension,
  localNames,
  sharedModule,
  importedBy,
} from "../emitter.js";
import { textNeeds } from "../texts/modules.js";
import { emitSharedChecks } from "../validators/emit.js";
import { type StepPlan, planSteps } from "./methods.js";
import { type OwnSteps, refuseProblems } from "./problems.js";
import { type ValidatorNames, needsNoSteps, stepFile } from "./step-file.js";

/** Emits `stepping.ts`, the helpers of all steps, and the modules it imports. */
export const emitStepping: Emitter<WorkspaceInput> = (input) =>
  new Map<string, EmittedFile>([
    ["stepping.ts", { content: copyModule("stepping", input), formatted: true }],
    ...emitSharedChecks(input),
  ]);

/**
 * Emits `steps.ts`: functions that convert the contents of messages to the preceding revision and back, for
 * both roles. For an extension, they convert between two bases.
 *
 * @throws CodedError MG1203 for a note without effect, MG1205 for a value without a decision, MG1206 for a
 * note that cannot be applied
 */
export const emitSteps: Emitter<ModelInput> = (input) => {
  const { model, previous, folder, origin, importExtension } = input;
  if (!previous) return new Map();
  const ofExtension = isOfExtension(input) ? { ...input, previous: input.previous! } : undefined;
  const plan = ofExtension
    ? extensionSteps(ofExtension.previous, ofExtension.model)
    : planSteps(previous, model);
  if (!plan) return new Map();
  refuseProblems(plan, model, previous, origin, ofExtension && ownSteps(ofExtension));
  const matchers = textNeeds(model.schema).patterns ? "." : `../${previous.revision}`;
  const file = stepFile(input, plan, {
    ids: [previous.revision, model.revision],
    modules: {
      model: sharedModule(input, "model"),
      stepping: sharedModule(input, "stepping"),
      patterns: `${matchers}/patterns.${importExtension}`,
      previous: `../${previous.revision}/validators.${importExtension}`,
      validators: `./validators.${importExtension}`,
      basePrevious: sharedModule(input, `${previous.revision}/validators`),
      baseValidators: sharedModule(input, `${model.revision}/validators`),
    },
    ...(ofExtension && { sources: [namesOf(ofExtension.previous), namesOf(ofExtension.model)] }),
  });
  return new Map([[`${folder}/steps.ts`, file]]);
};

/** The decisions that the extension makes itself. */
function ownSteps({ model }: ExtensionInput): OwnSteps {
  const { stepNotes, renames, wraps, reshapes, imported } = model;
  return { notes: new Set<Note>([...stepNotes, ...renames, ...wraps, ...reshapes]), imported };
}

/** The validator names of an extension, and those in its base. */
function namesOf(model: ExtensionModel): ValidatorNames {
  const imported = importedBy(model);
  return { identifiers: localNames(model.schema, imported), base: imported.identifiers };
}

const known = new WeakMap<ExtensionModel, StepPlan | "none">();

/**
 * The step plan between an extension over one base and over the preceding base; `undefined` if all messages
 * pass unchanged.
 */
export function extensionSteps(previous: ExtensionModel, model: ExtensionModel): StepPlan | undefined {
  let plan = known.get(model);
  if (!plan) {
    const planned = planSteps(previous, { ...model, ...inheriting(model) });
    known.set(model, (plan = needsNoSteps(planned) ? "none" : planned));
  }
  return plan === "none" ? undefined : plan;
}

/** The extension's notes about steps, and its base's notes about definitions that it refers to. */
function inheriting({
  base,
  imported,
  stepNotes,
  renames,
  wraps,
  reshapes,
}: ExtensionModel): Pick<ExtensionModel, "renames" | "reshapes" | "stepNotes" | "wraps"> {
  const keys = new Map([...imported].map(([key, name]) => [name, key]));
  const inherited = <One extends Note>(notes: readonly One[]): One[] =>
    notes.flatMap((note) => {
      const targets = note.targets.flatMap((target) => {
        const [holder, name = "", ...inside] = pointerTokens(target);
        const key = keys.get(name);
        return holder !== "$defs" || key === undefined ? [] : [pointer("/$defs", key, ...inside)];
      });
      return targets.length === 0 ? [] : [{ ...note, targets }];
    });
  return {
    stepNotes: [...stepNotes, ...inherited(base.stepNotes)],
    renames: [...renames, ...inherited(base.renames)],
    wraps: [...wraps, ...inherited(base.wraps)],
    reshapes: [...reshapes, ...inherited(base.reshapes)],
  };
}
