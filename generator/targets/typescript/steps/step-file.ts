import { naturalCompare } from "@mcpgen/engine";
import { type Role, opposite } from "../../../model/model.js";
import { memberLine } from "../../../print/code-layout.js";
import type { ModelInput } from "../emitter.js";
import { type Layout, group, indent, join, line, print, whenBroken } from "../../../print/layout.js";
import type { EmittedFile } from "../../../print/emitted-file.js";
import { capitalised, memberKey } from "../../../print/text.js";
import { importTypes } from "../types/print.js";
import { prelude, preludeNames } from "../validators/prelude.js";
import type { MethodSteps, StepPlan, Way } from "./methods.js";
import { type Plan, activePlans, mayRefuse, refusesAll } from "./plan.js";
import { Predicates } from "./predicates.js";
import { PlanPrinter, ownFunctionText, ownFunctions } from "./print.js";
import { called, isUsed } from "./statements.js";

/** Where a file of steps imports from, and which definitions have validators in other files. */
interface StepSurroundings {
  /** The ids of the older and the newer revision. */
  readonly ids: readonly [string, string];
  readonly modules: {
    readonly model: string;
    readonly stepping: string;
    readonly patterns: string;
    readonly previous: string;
    readonly validators: string;
    readonly basePrevious: string;
    readonly baseValidators: string;
  };
  /** The validator names for each of the two schemas. */
  readonly sources?: readonly [ValidatorNames, ValidatorNames];
}

/** The names under which validators of a schema are exported. */
export interface ValidatorNames {
  readonly identifiers: ReadonlyMap<string, string>;
  /** Names of validators in the base of an extension. */
  readonly base: ReadonlyMap<string, string>;
}

/** Makes the text of a file of steps. */
export function stepFile(
  { origin, importExtension, render }: Pick<ModelInput, "origin" | "importExtension" | "render">,
  plan: StepPlan,
  { ids, modules, sources }: StepSurroundings,
): EmittedFile {
  const file = new StepFile(plan, sources);
  const tables = (["client", "server"] as const).map((role) => ({ role, parts: file.parts(role) }));
  const { functions, predicates } = file.print();
  const rows = tables.flatMap(({ parts }) => parts.flatMap((part) => part.rows));
  const blocks = [...functions, ...predicates];
  const uses = (name: string): boolean => blocks.some((block) => isUsed(name, block));
  const isMatching = uses("textPatterns");
  const isExtension = sources !== undefined;
  const stepsType = isExtension ? "ExtensionSteps" : "Steps";
  const reporting = uses("StepReport") ? ["StepReport"] : [];
  const names = ["basePrevious", "baseValidators", "previous", "validators"] as const;
  const content = render("steps.ts", {
    ...{ importExtension, origin, tables, blocks },
    id: ids[1],
    previousId: ids[0],
    patterns: isMatching ? modules.patterns : "",
    imports: names.flatMap((name) => (uses(name) ? [{ name, from: modules[name] }] : [])),
    ...{ stepsType, isExtension, isJudging: predicates.length > 0 },
    modelImport: importTypes([stepsType, ...reporting].sort(naturalCompare), modules.model),
    stepping: importOf([...functions, ...rows], predicates, modules.stepping),
  });
  // Prettier measures some non-ASCII characters differently and formats code of expressions, so such files go
  // through prettier.
  const isPrinted = !isMatching && plan.reshapes.places.length === 0 && /^[\n -~]*$/.test(content);
  return { content, ...(isPrinted && { formatted: true as const }) };
}

/** Names that a file of steps may import from `stepping.ts`. */
const stepping = [
  "alsoText",
  "asText",
  "carriedOut",
  "drop",
  "eachAt",
  "filled",
  "firstAt",
  "fitting",
  "isAmong",
  "isAt",
  "isObject",
  "isScalar",
  "isString",
  "isStrings",
  "items",
  "joinOf",
  "jsonOf",
  "list",
  "listOf",
  "limited",
  "lost",
  "mapAt",
  "member",
  "memberOf",
  "objectOf",
  "orElse",
  "others",
  "quotedAt",
  "refuse",
  "renamed",
  "requestedAt",
  "required",
  "reshaped",
  "textOf",
  "toolError",
  "valueAt",
  "without",
];

/** The imported names that predicates use. Other names may be locals in predicates. */
const ofPredicates = ["isObject", "isStrings"];

function importOf(functions: readonly string[], predicates: readonly string[], module: string): string {
  const uses = (name: string, code: readonly string[]): boolean => code.some((text) => isUsed(name, text));
  const used = stepping.filter(
    (name) => uses(name, functions) || (ofPredicates.includes(name) && uses(name, predicates)),
  );
  const names = join([",", line], [...used, "stepTable"]);
  return print(group("import {", indent(line, names, whenBroken(",")), line, `} from "${module}";`));
}

/**
 * The tables of each role for requests of clients and their results, which contain the members that the era
 * fills in.
 */
const withFilledIn: Readonly<Record<Role, readonly string[]>> = {
  client: ["outgoingRequests", "incomingResults"],
  server: ["incomingRequests", "outgoingResults"],
};

interface Part {
  readonly name: string;
  readonly rows: readonly string[];
}

/** The parts of one file of steps. */
class StepFile {
  private readonly plan: StepPlan;
  private readonly isExtension: boolean;
  private readonly predicates: { readonly lift: Predicates; readonly lower: Predicates };
  private readonly printers: { readonly lift: PlanPrinter; readonly lower: PlanPrinter };

  constructor(plan: StepPlan, sources: StepSurroundings["sources"], isExtension = sources !== undefined) {
    this.plan = plan;
    this.isExtension = isExtension;
    const taken = new Set([
      ...stepping,
      ...ownFunctions,
      ...preludeNames,
      "stepTable",
      "basePrevious",
      "baseValidators",
      "previous",
      "textPatterns",
      "validators",
    ]);
    const predicatesOf = (
      { target }: Way,
      module: string,
      names: ValidatorNames | undefined,
      prefix: string,
    ): Predicates => {
      const base = names && { module: `base${capitalised(module)}`, identifiers: names.base };
      return new Predicates({
        ...{ ...target, module, prefix },
        ...(names && base && { identifiers: names.identifiers, base }),
      });
    };
    const [older, newer] = sources ?? [];
    this.predicates = {
      lift: predicatesOf(plan.lift, "validators", newer, ""),
      lower: predicatesOf(plan.lower, "previous", older, "previous"),
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
      print: (way: "lift" | "lower", steps: MethodSteps) => Layout | undefined,
    ): Part => ({
      name,
      rows: [
        ...(withFilledIn[role].includes(name) ? this.filledIn(way) : []),
        ...this.plan[way].methods.flatMap((steps) => {
          const printed = print(way, steps);
          return printed === undefined ? [] : [memberLine(2, memberKey(steps.method), printed)];
        }),
      ],
    });
    const params =
      (sender: Role, kind: MethodSteps["kind"]) =>
      (way: "lift" | "lower", steps: MethodSteps): Layout | undefined =>
        steps.sender === sender && steps.kind === kind
          ? (this.refusal(way, steps) ?? this.nameOf(way, steps.params))
          : undefined;
    const result =
      (sender: Role) =>
      (way: "lift" | "lower", steps: MethodSteps): Layout | undefined =>
        steps.sender === sender ? this.result(way, steps) : undefined;
    return [
      part("incomingRequests", "lift", params(peer, "request")),
      part("incomingNotifications", "lift", params(peer, "notification")),
      part("incomingResults", "lift", result(role)),
      part("outgoingRequests", "lower", params(role, "request")),
      part("outgoingNotifications", "lower", params(role, "notification")),
      part("outgoingResults", "lower", result(peer)),
    ];
  }

  /** The row for members that the era fills in. For an extension, its base has this row. */
  private filledIn(way: "lift" | "lower"): string[] {
    const name = this.isExtension ? undefined : this.nameOf(way, this.plan[way].filledIn);
    return name === undefined ? [] : [memberLine(2, memberKey("*"), name)];
  }

  private nameOf(way: "lift" | "lower", plan: Plan | undefined): string | undefined {
    return plan && this.printers[way].nameOfRoot(plan);
  }

  /**
   * The step of a result. If it refuses, the request was already carried out, and the caller must learn that.
   */
  private result(way: "lift" | "lower", { result, toolError }: MethodSteps): Layout | undefined {
    const name = this.nameOf(way, result);
    if (name === undefined || !mayRefuse(result!)) return name;
    const form = toolError === undefined ? [] : toolError === "target" ? ["toolError"] : ["toolError", name];
    return ["/* @__PURE__ */ ", called("carriedOut", name, ...form)];
  }

  /**
   * The step for a request whose results can never be converted back: it refuses the params before the
   * request has an effect.
   */
  private refusal(way: "lift" | "lower", { method, kind, sender }: MethodSteps): string | undefined {
    const back = way === "lift" ? "lower" : "lift";
    const answer = this.plan[back].methods.find(
      (steps) => steps.method === method && steps.kind === kind && steps.sender === sender,
    )?.result;
    return answer && refusesAll(answer) ? this.nameOf(back, answer) : undefined;
  }

  /** Whether no message needs a step. */
  get isEmpty(): boolean {
    return (["client", "server"] as const).every((role) =>
      this.parts(role).every(({ rows }) => rows.length === 0),
    );
  }

  /** Prints the functions that the tables name. */
  print(): { readonly functions: readonly string[]; readonly predicates: readonly string[] } {
    const { lift, lower } = this.printers;
    const steps = [...lift.print(), ...lower.print()];
    const functions = [...steps, ...[...lift.own, ...lower.own].map(ownFunctionText)];
    const own = [this.predicates.lift.print(), this.predicates.lower.print()];
    const shared = new Set(own.flatMap((printed) => [...printed.prelude]));
    const imported = new RegExp(`^function (${ofPredicates.join("|")})\\(`, "m");
    const texts = prelude(shared).filter((text) => !imported.test(text));
    return { functions, predicates: [...own.flatMap((printed) => printed.texts), ...texts] };
  }
}

function rootsOf({ methods, filledIn }: Way): Plan[] {
  return [
    filledIn,
    ...methods.flatMap(({ params, result }) => [params, result].filter((plan) => plan !== undefined)),
  ];
}

/** Whether all messages of an extension pass unchanged. */
export function needsNoSteps(plan: StepPlan): boolean {
  return new StepFile(plan, undefined, true).isEmpty;
}
