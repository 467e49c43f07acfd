import { pointer, pointerTokens } from "@mcpgen/engine";
import type { ExtensionModel } from "../../model/extension-model.js";
import type { Note } from "../../notes/note.js";
import type { Emitter, ExtensionInput } from "../emitter.js";
import { localNames, sharedModule } from "../imported.js";
import { needsNoSteps, stepFile } from "../steps/emit.js";
import { type StepPlan, planSteps } from "../steps/methods.js";
import { refuseProblems } from "../steps/problems.js";
import { textNeeds } from "../texts/modules.js";
import { importedBy } from "./input.js";

const known = new WeakMap<ExtensionModel, StepPlan | "none">();

/**
 * The plan of the steps between an extension over one base and over the base before it; `undefined` where all messages
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

/** The notes on steps of the extension, and those of its base on definitions that it refers to. */
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

/** `steps.ts`: how messages of an extension over one base become those over the base before it, and back. */
export const emitExtensionSteps: Emitter<ExtensionInput> = (input) => {
  const { model, previous, folder, origin, importExtension } = input;
  if (!previous) return new Map();
  const own = {
    notes: new Set<Note>([...model.stepNotes, ...model.renames, ...model.wraps, ...model.reshapes]),
    imported: model.imported,
  };
  const plan = extensionSteps(previous, model);
  if (plan) refuseProblems(plan, model, previous, origin, own);
  if (!plan) return new Map();
  const validators = (base: string): string => sharedModule(input, `${base}/validators`);
  const namesOf = (one: ExtensionModel) => {
    const imported = importedBy(one);
    return { identifiers: localNames(one.schema, imported), base: imported.identifiers };
  };
  const matchers = textNeeds(model.schema).patterns ? "." : `../${previous.revision}`;
  const file = stepFile(input, plan, {
    ids: [previous.revision, model.revision],
    modules: {
      model: sharedModule(input, "model"),
      stepping: sharedModule(input, "stepping"),
      patterns: `${matchers}/patterns.${importExtension}`,
      previous: `../${previous.revision}/validators.${importExtension}`,
      validators: `./validators.${importExtension}`,
      basePrevious: validators(previous.revision),
      baseValidators: validators(model.revision),
    },
    sources: [namesOf(previous), namesOf(model)],
  });
  return new Map([[`${folder}/steps.ts`, file]]);
};
