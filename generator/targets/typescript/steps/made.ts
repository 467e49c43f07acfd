import type { Path, Scalar } from "../../../notes/expression.js";
import type { Plan } from "./plan.js";

/** A planned expression, with the steps for values that it copies. */
export type Made =
  | { readonly kind: "scalar"; readonly value: Scalar }
  | { readonly kind: "list"; readonly items: readonly Made[] }
  | {
      readonly kind: "object";
      readonly members: readonly (readonly [key: string, value: Made])[];
      /** Members that may be absent but that the expression needs. */
      readonly needs: readonly string[];
    }
  | (Path & { readonly kind: "value"; readonly plan: Plan; readonly isCertain: boolean })
  /** A value that is inserted into a text. */
  | (Path & { readonly kind: "quoted"; readonly isCertain: boolean })
  | (Selected & { readonly kind: "each"; readonly isFlat: boolean; readonly isCertain: boolean })
  | (Selected & { readonly kind: "first" })
  | (Selected & { readonly kind: "map"; readonly key: Made; readonly isCertain: boolean })
  | { readonly kind: "join"; readonly parts: readonly Made[] }
  | { readonly kind: "or"; readonly choices: readonly Made[] }
  | (Path & { readonly kind: "if"; readonly then: Made; readonly otherwise?: Made })
  | { readonly kind: "json"; readonly of: Made }
  | { readonly kind: "request"; readonly keys: readonly string[]; readonly plan: Plan };

type Selected = Path & {
  /** Members of an item that have one value because of the conditions. */
  readonly known: readonly string[];
  readonly where?: readonly Test[];
  readonly make: Made;
};

/** A condition on an item: the member, and its required value or values. */
export type Test = { readonly key: string } & ({ readonly is: Scalar } | { readonly among: Made });

/** The direct subexpressions of an expression. */
export function insideOf(made: Made): readonly Made[] {
  switch (made.kind) {
    case "list":
      return made.items;
    case "object":
      return made.members.map(([, value]) => value);
    case "each":
    case "first":
    case "map":
      return [
        made.make,
        ...(made.kind === "map" ? [made.key] : []),
        ...(made.where ?? []).flatMap((test) => ("among" in test ? [test.among] : [])),
      ];
    case "join":
      return made.parts;
    case "or":
      return made.choices;
    case "if":
      return made.otherwise ? [made.then, made.otherwise] : [made.then];
    case "json":
      return [made.of];
    default:
      return [];
  }
}

/** The steps that an expression uses. */
export function plansIn(made: Made): Plan[] {
  return "plan" in made ? [made.plan] : insideOf(made).flatMap(plansIn);
}

/** Whether an expression always has a value. */
export function isCertain(made: Made): boolean {
  switch (made.kind) {
    case "scalar":
    case "list":
    case "object":
    case "join":
      return true;
    case "value":
    case "quoted":
    case "each":
    case "map":
      return made.isCertain;
    case "or":
      return made.choices.some(isCertain);
    case "if":
      return made.otherwise !== undefined && isCertain(made.then) && isCertain(made.otherwise);
    case "json":
      return isCertain(made.of);
    case "first":
    case "request":
      return false;
  }
}
