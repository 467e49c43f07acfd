import type { Role } from "../../model/model.js";
import { opposite } from "../../model/model.js";
import { memberLine } from "../../print/code-layout.js";
import { copyModule } from "../copied-module.js";
import type { Emitter, ModelInput, WorkspaceInput } from "../emitter.js";
import { group, indent, join, line, print, whenBroken } from "../../print/layout.js";
import { memberKey } from "../../print/text.js";
import { textNeeds } from "../texts/modules.js";
import { prelude, preludeNames } from "../validators/prelude.js";
import { type MethodSteps, type StepPlan, type Way, planSteps } from "./methods.js";
import { type Plan, activePlans } from "./plan.js";
import { Predicates } from "./predicates.js";
import { PlanPrinter } from "./print.js";
import { refuseProblems } from "./problems.js";

/** `stepping.ts`: what the steps of all revisions are made of. */
export const emitStepping: Emitter<WorkspaceInput> = (input) =>
  new Map([["stepping.ts", { content: copyModule("stepping", input), formatted: true }]]);

/**
 * `steps.ts`: how what a revision's messages carry becomes what those of the revision before it carry, and
 * back, for either role.
 *
 * @throws CodedError MG1203 for a note that decides nothing, MG1205 for a value that nothing is decided of,
 *   MG1206 for a note that cannot be done as it says
 */
export const emitSteps: Emitter<ModelInput> = ({
  model,
  previous,
  folder,
  origin,
  importExtension,
  render,
}) => {
  if (!previous) return new Map();
  const plan = planSteps(previous, model);
  refuseProblems(plan, model, previous, origin);
  const file = new StepFile(plan);
  const tables = (["client", "server"] as const).map((role) => ({ role, parts: file.parts(role) }));
  const { functions, predicates } = file.print();
  const blocks = [...functions, ...predicates];
  const uses = (module: string): boolean =>
    blocks.some((block) => new RegExp(`\\b${module}\\.is`).test(block));
  const isMatching = blocks.some((block) => block.includes("textPatterns."));
  const matchers = textNeeds(model.schema).patterns ? "." : `../${previous.revision}`;
  const patterns = isMatching ? `${matchers}/patterns.${importExtension}` : "";
  const content = render("steps.ts", {
    importExtension,
    origin,
    id: model.revision,
    previousId: previous.revision,
    previousFolder: previous.revision,
    tables,
    blocks,
    patterns,
    usesPrevious: uses("previous"),
    usesThis: uses("validators"),
    modelTypes: blocks.some((block) => block.includes("StepReport")) ? "StepReport, Steps" : "Steps",
    stepping: importOf(functions, predicates, importExtension),
  });
  // Prettier counts some characters beyond ASCII otherwise.
  const isPrinted = !isMatching && /^[\n -~]*$/.test(content);
  return new Map([[`${folder}/steps.ts`, { content, ...(isPrinted && { formatted: true as const }) }]]);
};

/** What a file of steps may take from `stepping.ts`. */
const stepping = [
  "asText",
  "drop",
  "filled",
  "fitting",
  "isObject",
  "isScalar",
  "isString",
  "isStrings",
  "items",
  "list",
  "limited",
  "lost",
  "member",
  "memberOf",
  "others",
  "refuse",
  "renamed",
  "required",
  "without",
];

/** Predicates use but few of them, and have locals of any name. */
const ofPredicates = ["isObject", "isStrings"];

function importOf(functions: readonly string[], predicates: readonly string[], extension: string): string {
  const isUsed = (name: string, code: readonly string[]): boolean =>
    code.some((text) => new RegExp(`(?<![.\\w"])${name}\\b(?!")`).test(text));
  const used = stepping.filter(
    (name) => isUsed(name, functions) || (ofPredicates.includes(name) && isUsed(name, predicates)),
  );
  const names = join([",", line], [...used, "stepTable"]);
  return print(
    group("import {", indent(line, names, whenBroken(",")), line, `} from "../stepping.${extension}";`),
  );
}

interface Part {
  readonly name: string;
  readonly rows: readonly string[];
}

/** What stands in one file of steps. */
class StepFile {
  private readonly plan: StepPlan;
  private readonly predicates: { readonly lift: Predicates; readonly lower: Predicates };
  private readonly printers: { readonly lift: PlanPrinter; readonly lower: PlanPrinter };

  constructor(plan: StepPlan) {
    this.plan = plan;
    const taken = new Set([
      ...stepping,
      ...preludeNames,
      "stepTable",
      "previous",
      "textPatterns",
      "validators",
    ]);
    const predicatesOf = ({ target }: Way, module: string, prefix: string): Predicates =>
      new Predicates({ ...target, module, prefix });
    this.predicates = {
      lift: predicatesOf(plan.lift, "validators", ""),
      lower: predicatesOf(plan.lower, "previous", "previous"),
    };
    const printerOf = (way: "lift" | "lower"): PlanPrinter =>
      new PlanPrinter(way, activePlans(rootsOf(plan[way])), this.predicates[way], taken);
    this.printers = { lift: printerOf("lift"), lower: printerOf("lower") };
  }

  parts(role: Role): Part[] {
    const peer = opposite(role);
    const part = (
      name: string,
      way: "lift" | "lower",
      pick: (steps: MethodSteps) => Plan | undefined,
    ): Part => ({
      name,
      rows: this.plan[way].methods.flatMap((steps) => {
        const plan = pick(steps);
        const printed = plan && this.printers[way].nameOfRoot(plan);
        return printed === undefined ? [] : [memberLine(2, memberKey(steps.method), printed)];
      }),
    });
    const params =
      (sender: Role, kind: MethodSteps["kind"]) =>
      (steps: MethodSteps): Plan | undefined =>
        steps.sender === sender && steps.kind === kind ? steps.params : undefined;
    const result =
      (sender: Role) =>
      (steps: MethodSteps): Plan | undefined =>
        steps.sender === sender ? steps.result : undefined;
    return [
      part("incomingRequests", "lift", params(peer, "request")),
      part("incomingNotifications", "lift", params(peer, "notification")),
      part("incomingResults", "lift", result(role)),
      part("outgoingRequests", "lower", params(role, "request")),
      part("outgoingNotifications", "lower", params(role, "notification")),
      part("outgoingResults", "lower", result(peer)),
    ];
  }

  /** The functions of what the tables name. */
  print(): { readonly functions: readonly string[]; readonly predicates: readonly string[] } {
    const functions = [...this.printers.lift.print(), ...this.printers.lower.print()];
    const own = [this.predicates.lift.print(), this.predicates.lower.print()];
    const shared = new Set(own.flatMap((printed) => [...printed.prelude]));
    const imported = new RegExp(`^function (${ofPredicates.join("|")})\\(`, "m");
    const texts = prelude(shared).filter((text) => !imported.test(text));
    return { functions, predicates: [...own.flatMap((printed) => printed.texts), ...texts] };
  }
}

function rootsOf({ methods }: Way): Plan[] {
  return methods.flatMap(({ params, result }) => [params, result].filter((plan) => plan !== undefined));
}
