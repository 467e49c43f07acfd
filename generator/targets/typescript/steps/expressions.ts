import { type JsonValue, pointer } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { type Conjunction, type ShapeArm, typesOf } from "../../../compare/shape/form.js";
import { nameAdvice } from "../../../diagnostics/suggest.js";
import type { Condition, Expression, Path, Scalar } from "../../../notes/expression.js";
import { typeText } from "../../../print/type-text.js";
import { type Made, type Test, isCertain } from "./made.js";
import { type Described, type Parts, text, unknown } from "./parts.js";
import { unchanged } from "./plan.js";
import type { Planner } from "./planner.js";

/** Thrown for an expression whose value does not fit its place. */
export class ExpressionFault extends Error {
  readonly pointer: string;
  readonly next: string | undefined;

  constructor(pointer: string, message: string, next?: string) {
    super(message);
    this.pointer = pointer;
    this.next = next;
  }
}

/** The place that takes an expression's value. */
interface Place {
  readonly nodes: Conjunction;
  /**
   * Set if the place is a list that joins the expression's values: each value is one item or a list of items.
   */
  readonly isJoined?: true;
}

/** The objects that an expression may read. */
interface Scope {
  readonly item?: Described;
  /** Set if the values become part of a text. */
  readonly isText?: true;
}

const anywhere: Place = { nodes: unknown.nodes };

/**
 * Plans the expressions of one note for one place: the paths they read, and the steps for values they copy.
 */
export class ExpressionPlanner {
  readonly #planner: Planner;
  readonly #source: Parts;
  readonly #target: Parts;
  readonly #object: Described;
  /** The paths into the object that expressions read. */
  readonly read: (readonly string[])[] = [];
  /** The paths into the request's params that expressions read, each with the expression's place. */
  readonly requested: { readonly keys: readonly string[]; readonly pointer: string }[] = [];

  /** @param object schema of the object that expressions read */
  constructor(planner: Planner, source: Parts, target: Parts, object: Conjunction) {
    this.#planner = planner;
    this.#source = source;
    this.#target = target;
    this.#object = { nodes: object, isCertain: true, isUnknown: false };
  }

  /** @throws {ExpressionFault} if the value cannot fit */
  made(expression: Expression, nodes: Conjunction): Made {
    return this.#made(expression, { nodes }, {});
  }

  #made(expression: Expression, place: Place, scope: Scope): Made {
    const inside = (inner: Expression, there: Place = place): Made => this.#made(inner, there, scope);
    switch (expression.kind) {
      case "scalar":
        return this.#scalar(expression.value, expression.pointer, this.#item(place));
      case "list":
        this.#itemsOf(place.nodes, expression.pointer);
        return {
          kind: "list",
          items: expression.items.map((item, index) =>
            inside(item, { nodes: this.#itemsOf(place.nodes, expression.pointer, index) }),
          ),
        };
      case "object":
        return this.#objectOf(expression, this.#item(place), scope);
      case "value":
        return this.#value(expression, place, scope);
      case "each":
      case "first":
      case "map":
        return this.#selected(expression, place, scope);
      case "join":
        this.#itemsOf(place.nodes, expression.pointer);
        return {
          kind: "join",
          parts: expression.parts.map((part) => inside(part, { nodes: place.nodes, isJoined: true })),
        };
      case "or":
        return { kind: "or", choices: expression.choices.map((choice) => inside(choice)) };
      case "if": {
        const { path, then, otherwise } = expression;
        this.#described(path, pointer(expression.pointer, "$if"), scope);
        return {
          kind: "if",
          ...path,
          then: inside(then),
          ...(otherwise && { otherwise: inside(otherwise) }),
        };
      }
      case "json":
        this.#expectType("string", this.#item(place), pointer(expression.pointer, "$json"));
        return { kind: "json", of: this.#made(expression.of, anywhere, { ...scope, isText: true }) };
      case "request":
        return this.#request(expression, this.#item(place), scope);
    }
  }

  /** The schema for a single value: if the place joins lists, that of an item. */
  #item({ nodes, isJoined }: Place): Conjunction {
    return isJoined ? (this.#target.itemsOf(nodes) ?? nodes) : nodes;
  }

  #scalar(value: Scalar, at: string, nodes: Conjunction): Made {
    if (!nodes.every((node) => isValid(this.#target.reader.schema, node, value)))
      throw new ExpressionFault(at, `${JSON.stringify(value)} cannot stand here: expected ${textOf(nodes)}`);
    return { kind: "scalar", value };
  }

  #itemsOf(nodes: Conjunction, at: string, index?: number): Conjunction {
    const items = this.#target.itemsOf(nodes, index);
    if (!items) throw new ExpressionFault(at, `a list cannot stand here: expected ${textOf(nodes)}`);
    return items;
  }

  #expectType(type: "string", nodes: Conjunction, at: string): void {
    const form = this.#target.reader.of(nodes);
    if (!form.any && !form.scalars.has(type))
      throw new ExpressionFault(at, `a ${type} cannot stand here: expected ${textOf(nodes)}`);
  }

  #objectOf(
    { members, pointer: at }: Expression & { kind: "object" },
    nodes: Conjunction,
    scope: Scope,
  ): Made {
    if (this.#target.reader.of(nodes).any)
      return {
        kind: "object",
        members: members.map(([key, value]) => [key, this.#made(value, anywhere, scope)] as const),
        needs: [],
      };
    const arms = this.#armsFor(members, nodes, at);
    const place = this.#target.ofArms(nodes, arms);
    const made = members.map(([key, value]) => {
      const part = this.#target.at({ nodes: place, isCertain: true, isUnknown: false }, key);
      if (!part) throw this.#noMember(this.#target, place, key, value.pointer);
      return [key, this.#made(value, { nodes: part.nodes }, scope)] as const;
    });
    const required = requiredOf(arms);
    const names = new Set(members.map(([key]) => key));
    const missing = required.find((key) => !names.has(key));
    if (missing !== undefined)
      throw new ExpressionFault(at, `the object has no ${JSON.stringify(missing)}, which it must have here`);
    const needs = made.filter(([key, value]) => required.includes(key) && !isCertain(value));
    return { kind: "object", members: made, needs: needs.map(([key]) => key) };
  }

  /** The arms that the object can be, given the constant members that the expression makes. */
  #armsFor(
    members: readonly (readonly [key: string, value: Expression])[],
    nodes: Conjunction,
    at: string,
  ): readonly ShapeArm[] {
    const all = this.#target.objectsOf(nodes, new Map());
    if (all.length === 0)
      throw new ExpressionFault(at, `an object cannot stand here: expected ${textOf(nodes)}`);
    const values = new Map<string, JsonValue>();
    let arms = all;
    for (const [key, value] of members) {
      if (value.kind !== "scalar" || !all.some(({ properties }) => properties.has(key))) continue;
      values.set(key, value.value);
      arms = this.#target.objectsOf(nodes, values);
      if (arms.length === 0)
        throw new ExpressionFault(
          value.pointer,
          `no object here may have the ${key} ${JSON.stringify(value.value)}: expected ${textOf(nodes)}`,
        );
    }
    return arms;
  }

  #noMember(parts: Parts, nodes: Conjunction, key: string, at: string): ExpressionFault {
    const names = parts.namesOf(nodes);
    const otherwise =
      names.length > 0 ? `The schema has ${names.join(", ")}.` : "The schema has no object here.";
    return new ExpressionFault(
      at,
      `there is no member ${JSON.stringify(key)} here`,
      nameAdvice(key, names, otherwise, JSON.stringify),
    );
  }

  /** The schema of the value at a path. */
  #described({ from, keys }: Path, at: string, scope: Scope): Described {
    let part = from === "item" ? scope.item! : this.#object;
    for (const key of keys) {
      const next = this.#source.at(part, key);
      if (!next) throw this.#noMember(this.#source, part.nodes, key, at);
      part = next;
    }
    return part;
  }

  #value({ path, pointer: at }: Expression & { kind: "value" }, place: Place, scope: Scope): Made {
    const operator = pointer(at, "$");
    const described = this.#described(path, operator, scope);
    if (path.from === "object") this.read.push(path.keys);
    if (scope.isText) return { kind: "quoted", ...path, isCertain: described.isCertain };
    const form = this.#source.reader.of(described.nodes);
    const isList = form.any || form.members.some(({ type }) => type === "array");
    const nodes = place.isJoined && isList ? place.nodes : this.#item(place);
    const target = this.#target.reader.of(nodes);
    if (!form.any && !target.any && ![...typesOf(form)].some((type) => typesOf(target).has(type)))
      throw new ExpressionFault(
        operator,
        `the value is ${textOf(described.nodes)}, which cannot stand here: expected ${textOf(nodes)}`,
      );
    const plan = this.#planner.plan(described.nodes, nodes, aroundOf(path.keys, described.isUnknown));
    return { kind: "value", ...path, plan, isCertain: described.isCertain && plan === unchanged };
  }

  #request({ path, pointer: at }: Expression & { kind: "request" }, nodes: Conjunction, scope: Scope): Made {
    this.requested.push({ keys: path.keys, pointer: pointer(at, "$request") });
    const target = scope.isText ? unknown.nodes : nodes;
    const plan = this.#planner.plan(unknown.nodes, target, aroundOf(path.keys, true));
    return { kind: "request", keys: path.keys, plan };
  }

  #selected(expression: Expression & { kind: "each" | "first" | "map" }, place: Place, scope: Scope): Made {
    const { kind, list, where, make, pointer: at } = expression;
    const described = this.#described(list, pointer(at, `$${kind}`), scope);
    if (list.from === "object") this.read.push(list.keys);
    const all = this.#source.itemsOf(described.nodes) ?? this.#source.entriesOf(described.nodes);
    if (!all)
      throw new ExpressionFault(
        pointer(at, `$${kind}`),
        `the value is ${textOf(described.nodes)}, and never a list or a map`,
        kind === "first" ? "For the value itself write $." : "For a value that is no list write $.",
      );
    const { nodes, known } = this.#passing(all, where ?? []);
    const isUnknown = this.#source.reader.of(nodes).any;
    const item: Scope = { ...scope, item: { nodes, isCertain: true, isUnknown } };
    const tests = where?.map((condition): Test =>
      "is" in condition
        ? { key: condition.key, is: condition.is }
        : { key: condition.key, among: this.#made(condition.among, anywhere, item) },
    );
    const common = { ...list, known, ...(tests && { where: tests }) };
    if (kind === "first") return { kind, ...common, make: this.#made(make, place, item) };
    const isAlways = where === undefined && described.isCertain;
    if (kind === "map") {
      const values = scope.isText ? unknown.nodes : this.#target.othersOf(place.nodes);
      if (!values) throw new ExpressionFault(at, `a map cannot stand here: expected ${textOf(place.nodes)}`);
      const key = this.#made(expression.key, { nodes: [text] }, item);
      return { kind, ...common, key, make: this.#made(make, { nodes: values }, item), isCertain: isAlways };
    }
    const inner: Place = scope.isText
      ? anywhere
      : expression.isFlat
        ? { nodes: place.nodes, isJoined: true }
        : { nodes: this.#itemsOf(place.nodes, at) };
    if (expression.isFlat) this.#itemsOf(place.nodes, at);
    return {
      kind,
      ...common,
      make: this.#made(make, inner, item),
      isFlat: expression.isFlat,
      isCertain: isAlways,
    };
  }

  /** The schema of the items that pass the conditions, and the members with the same value in all of them. */
  #passing(
    nodes: Conjunction,
    where: readonly Condition[],
  ): { readonly nodes: Conjunction; readonly known: readonly string[] } {
    const { any } = this.#source.reader.of(nodes);
    const fixed = where.flatMap((each) => ("is" in each ? [each.key] : []));
    if (any) return { nodes, known: fixed };
    const values = new Map<string, JsonValue>();
    const item: Described = { nodes, isCertain: true, isUnknown: false };
    for (const condition of where) {
      if (!this.#source.at(item, condition.key))
        throw this.#noMember(this.#source, nodes, condition.key, condition.pointer);
      if (!("is" in condition)) continue;
      values.set(condition.key, condition.is);
      if (this.#source.objectsOf(nodes, values).length === 0)
        throw new ExpressionFault(
          condition.pointer,
          `no item has the ${condition.key} ${JSON.stringify(condition.is)}`,
          `The items are ${textOf(nodes)}.`,
        );
    }
    const isNarrowed = where.length > 0;
    const arms = this.#source.objectsOf(nodes, values);
    const constant = this.#source
      .namesOf(nodes)
      .filter((key) => arms.length > 0 && this.#source.constantOf(arms, key) !== undefined);
    return {
      nodes: isNarrowed ? this.#source.ofArms(nodes, arms) : nodes,
      known: [...new Set([...fixed, ...constant])],
    };
  }
}

function aroundOf(
  keys: readonly string[],
  isUnknown: boolean,
): { pointers: []; undeclared?: { how: "drop"; what: string } } {
  return { pointers: [], ...(isUnknown && { undeclared: { how: "drop", what: keys.at(-1) ?? "value" } }) };
}

/** The members that all of the objects require. */
function requiredOf(arms: readonly ShapeArm[]): string[] {
  const [first, ...others] = arms.map(({ properties }) =>
    [...properties].flatMap(([key, { required }]) => (required ? [key] : [])),
  );
  return (first ?? []).filter((key) => others.every((keys) => keys.includes(key)));
}

function textOf(nodes: Conjunction): string {
  return nodes.map(typeText).join(" & ");
}
