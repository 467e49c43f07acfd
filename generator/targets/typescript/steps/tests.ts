import type { FormReader } from "../../../compare/shape/form-reader.js";
import type { Conjunction, Form, ShapeArm } from "../../../compare/shape/form.js";
import type { Test, TextBlock } from "./plan.js";
import { covers } from "../validators/covers.js";
import { Shapes } from "../validators/shape.js";

/** The test that every value passes. */
export const always: Test = { constants: [], present: [] };

/** The required members of an arm whose value is one of a few strings. */
export function constantsOf(reader: FormReader, arm: ShapeArm): ReadonlyMap<string, readonly string[]> {
  const constants = new Map<string, readonly string[]>();
  for (const [key, { nodes, required }] of arm.properties) {
    const strings = required ? listed(reader, nodes) : undefined;
    if (strings) constants.set(key, strings);
  }
  return constants;
}

/** The strings that a place allows, if it allows nothing else. */
function listed(reader: FormReader, nodes: Conjunction): readonly string[] | undefined {
  const { scalars, members } = reader.of(nodes);
  const strings = scalars.get("string");
  const isListed = members.length === 0 && scalars.size === 1 && strings?.free.length === 0;
  return isListed ? (strings.values as readonly string[]) : undefined;
}

/**
 * A test that values of `arm` pass and values of the other revision's schema fail; undefined if no member
 * discriminates them.
 */
export function discriminatingTest(
  arm: ShapeArm,
  readers: { readonly arm: FormReader; readonly other: FormReader },
  other: Form,
): Test | undefined {
  const rivals = other.members.filter(({ type }) => type === arm.type);
  if (rivals.length === 0) return { ...always, type: arm.type };
  const known = rivals.map((rival) => constantsOf(readers.other, rival));
  for (const [key, values] of constantsOf(readers.arm, arm)) {
    const distinguishes = known.every((constants) => {
      const taken = constants.get(key);
      return taken !== undefined && !values.some((value) => taken.includes(value));
    });
    if (distinguishes) return { constants: [[key, values]], present: [] };
  }
  return undefined;
}

/** A test that, among all values of the form, only those of `arm` pass; undefined if there is none. */
export function certainAmong(reader: FormReader, arm: ShapeArm, { members }: Form): Test | undefined {
  const rivals = members.filter((member) => member !== arm && member.type === arm.type);
  for (const [key, values] of constantsOf(reader, arm)) {
    const isCertain = rivals.every((rival) => {
      const property = rival.properties.get(key);
      const taken = property && listed(reader, property.nodes);
      return taken !== undefined && !values.some((value) => taken.includes(value));
    });
    if (isCertain) return { constants: [[key, values]], present: [] };
  }
  return undefined;
}

/** A test that every value of the arm passes, and that excludes as many others as is cheap. */
export function mayBe(reader: FormReader, arm: ShapeArm): Test {
  if (arm.type === "array") return { ...always, type: "array" };
  const constants = constantsOf(reader, arm);
  const required = [...arm.properties].filter(([key, property]) => property.required && !constants.has(key));
  if (constants.size === 0 && required.length === 0) return { ...always, type: "object" };
  return { constants: [...constants], present: required.map(([key]) => key) };
}

/**
 * A required member of the other arm that this arm does not describe, which distinguishes them. Undefined if
 * their types differ or there is no such member.
 */
export function memberBeside(arm: ShapeArm, other: ShapeArm): string | undefined {
  if (other.type !== arm.type) return undefined;
  return [...other.properties].find(([key, { required }]) => required && !arm.properties.has(key))?.[0];
}

/** The shortest test that separates an arm from the others of its form. */
export function among(reader: FormReader, arm: ShapeArm, { members, scalars }: Form): Test {
  const others = members.filter((member) => member !== arm);
  if (others.length === 0 && scalars.size === 0) return always;
  const rivals = others.filter(({ type }) => type === arm.type);
  if (rivals.length === 0) return { ...always, type: arm.type };
  const known = rivals.map((rival) => constantsOf(reader, rival));
  for (const [key, values] of constantsOf(reader, arm)) {
    if (known.every((constants) => constants.get(key)?.some((value) => values.includes(value)) === false))
      return { constants: [[key, values]], present: [] };
  }
  const own = [...arm.properties].find(
    ([key, { required }]) => required && rivals.every((rival) => !rival.properties.has(key)),
  );
  if (own) return { constants: [], present: [own[0]] };
  const excluded = rivals.flatMap((rival) => markAgainst(reader, rival, arm) ?? []);
  return { ...mayBe(reader, arm), ...(excluded.length > 0 && { excluded }) };
}

/**
 * A member and strings that a rival requires. Either `arm` never has one of these strings there, or the rival accepts
 * every value of the arm that has one: such a value belongs to the rival.
 */
function markAgainst(
  reader: FormReader,
  rival: ShapeArm,
  arm: ShapeArm,
): NonNullable<Test["excluded"]> | undefined {
  const own = constantsOf(reader, arm);
  for (const [key, values] of constantsOf(reader, rival)) {
    // The constants of the arm exclude this already.
    if (own.has(key)) continue;
    const property = arm.properties.get(key);
    const taken = property && listed(reader, property.nodes);
    const isNever = arm.forbidden.has(key) || taken?.every((value) => !values.includes(value));
    if (isNever || takesMarked(reader, rival, arm, key)) return [[key, values]];
  }
  return undefined;
}

/** Whether a rival accepts every value of an arm whose member `key` is as the rival requires it. */
function takesMarked(reader: FormReader, rival: ShapeArm, arm: ShapeArm, key: string): boolean {
  const { nodes } = rival.properties.get(key)!;
  const mark = nodes.length === 1 ? nodes[0]! : { pointer: "", allOf: nodes };
  const marked = { pointer: "", properties: new Map([[key, mark]]), required: [key] };
  const shapes = new Shapes(reader.schema, false);
  return rival.nodes.every((node) => covers(shapes, node, { pointer: "", allOf: [...arm.nodes, marked] }));
}

/**
 * The arm of a form that can hold any text: apart from constants, it requires exactly one unrestricted
 * string.
 */
export function textBlockOf(reader: FormReader, form: Form): TextBlock | undefined {
  return form.members.map((arm) => blockOf(reader, arm)).find((block) => block !== undefined);
}

function blockOf(reader: FormReader, arm: ShapeArm): TextBlock | undefined {
  if (arm.type !== "object") return undefined;
  const constants = constantsOf(reader, arm);
  const required = [...arm.properties].filter(([key, property]) => property.required && !constants.has(key));
  const [only] = required;
  if (required.length !== 1 || !only) return undefined;
  const { scalars, members } = reader.of(only[1].nodes);
  const isText = members.length === 0 && scalars.get("string")?.free.some(({ size }) => size === 0);
  if (!isText) return undefined;
  return { constants: [...constants].map(([key, values]) => [key, values[0]!] as const), key: only[0] };
}
