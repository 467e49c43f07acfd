import { arrayLayout, objectLayout, stringsLayout } from "../../../print/code-layout.js";
import { type Layout, flat, join } from "../../../print/layout.js";
import { memberKey, stringLiteral } from "../../../print/text.js";
import { type Made, type Test, isCertain } from "./made.js";
import type { Change, Plan } from "./plan.js";
import { literal, called, isUsed } from "./statements.js";

/** Parameter names in generated code for the objects that it reads. */
const names = { object: "whole", item: "item" } as const;

/** Prints expressions as code that computes their values. */
export class MadeCode {
  readonly #nameOf: (plan: Plan) => string | undefined;
  readonly #change: Change & { kind: "reshaped" };

  /** @param nameOf returns the function name of a plan; `undefined` if the plan changes nothing */
  constructor(nameOf: (plan: Plan) => string | undefined, change: Change & { kind: "reshaped" }) {
    this.#nameOf = nameOf;
    this.#change = change;
  }

  /** The function that makes the members. */
  get make(): Layout {
    const { members } = this.#change;
    return arrow(names.object, this.#of({ kind: "object", members, needs: [] }, names.object));
  }

  #of(made: Made, around: string): Layout {
    const inside = (inner: Made): Layout => this.#of(inner, around);
    switch (made.kind) {
      case "scalar":
        return literal(made.value);
      case "list": {
        const items = made.items.map(inside);
        return made.items.every(isCertain) ? arrayLayout(items) : called("listOf", ...items);
      }
      case "object":
        return this.#object(made, around);
      case "value":
        return called("valueAt", ...pathOf(made), ...this.#step(made.plan));
      case "quoted":
        return called("quotedAt", ...pathOf(made));
      case "each":
      case "first":
      case "map":
        return this.#selected(made);
      case "join":
        return called("joinOf", ...made.parts.map(inside));
      case "or":
        return called("orElse", ...made.choices.map((choice) => arrow(undefined, inside(choice))));
      case "if": {
        const otherwise = made.otherwise ? inside(made.otherwise) : "undefined";
        return [called("isAt", ...pathOf(made)), " ? ", inside(made.then), " : ", otherwise];
      }
      case "json":
        return called("jsonOf", inside(made.of));
      case "request":
        return called("requestedAt", names.object, stringsLayout(made.keys), ...this.#step(made.plan));
    }
  }

  #object({ members, needs }: Made & { kind: "object" }, around: string): Layout {
    const printed = objectLayout(members.map(([key, value]) => [memberKey(key), this.#of(value, around)]));
    if (members.every(([, value]) => isCertain(value))) return printed;
    const { code, why } = this.#change;
    const refusal = [around, stringsLayout(needs), stringLiteral(code), stringLiteral(why)];
    return called("objectOf", printed, ...(needs.length > 0 ? refusal : []));
  }

  #selected(made: Made & { kind: "each" | "first" | "map" }): Layout {
    const { known, where, make } = made;
    const isFlat = made.kind === "each" && made.isFlat;
    const more = [
      known.length > 0 || where || isFlat ? stringsLayout(known) : undefined,
      where ? this.#test(where) : isFlat ? "undefined" : undefined,
      isFlat ? "true" : undefined,
    ].filter((each) => each !== undefined);
    const ofItem = (inner: Made): Layout => arrow(names.item, this.#of(inner, names.item));
    const keys = made.kind === "map" ? [ofItem(made.key)] : [];
    return called(`${made.kind}At`, ...pathOf(made), ...keys, ofItem(make), ...more);
  }

  #test(where: readonly Test[]): Layout {
    const tests = where.map((test): Layout => {
      const member = called("memberOf", `${names.item}.value`, stringLiteral(test.key));
      return "is" in test
        ? [member, " === ", literal(test.is)]
        : called("isAmong", member, this.#of(test.among, names.item));
    });
    return arrow(names.item, join(" && ", tests));
  }

  #step(plan: Plan): Layout[] {
    const name = this.#nameOf(plan);
    return name === undefined ? [] : [name];
  }
}

function pathOf({
  from,
  keys,
}: {
  readonly from: keyof typeof names;
  readonly keys: readonly string[];
}): [Layout, Layout] {
  return [names[from], stringsLayout(keys)];
}

/** An arrow function that returns a value; omits an unused parameter. */
function arrow(parameter: string | undefined, value: Layout): Layout {
  const text = flat(value);
  const head = parameter !== undefined && isUsed(parameter, text) ? `(${parameter}) => ` : "() => ";
  return [head, text.startsWith("{") ? ["(", value, ")"] : value];
}
