import { canonicalText } from "@mcpgen/engine";
import { boundsText } from "../shape/bounds.js";
import type { Form, ShapeArm } from "../shape/form.js";
import type { FormReader } from "../shape/form-reader.js";

/** Levels that a signature looks into: enough to distinguish shapes, and it ends recursion. */
const depth = 3;

/** A text that is the same for shapes that look the same, in whichever schema and under whichever name. */
export function memberSignature(reader: FormReader, member: ShapeArm): string {
  return memberText(reader, member, depth);
}

export function formSignature(reader: FormReader, form: Form, levels = depth): string {
  return remembered(forms, form, levels, () => formText(reader, form, levels));
}

const forms = new WeakMap<Form, Map<number, string>>();
const members = new WeakMap<ShapeArm, Map<number, string>>();

function remembered<K extends object>(
  known: WeakMap<K, Map<number, string>>,
  key: K,
  levels: number,
  make: () => string,
): string {
  let texts = known.get(key);
  if (!texts) known.set(key, (texts = new Map<number, string>()));
  let text = texts.get(levels);
  if (text === undefined) texts.set(levels, (text = make()));
  return text;
}

function formText(reader: FormReader, form: Form, levels: number): string {
  if (form.any) return "any";
  const scalars = [...form.scalars].map(([type, { values, free }]) => {
    const limits = free.map(boundsText).sort();
    return `${type}${canonicalText([...values].map((value) => canonicalText(value)).sort())}${limits.join()}`;
  });
  const arms = form.members.map((member) => (levels > 0 ? memberText(reader, member, levels) : member.type));
  return [...scalars, ...arms].sort().join("|");
}

function memberText(reader: FormReader, member: ShapeArm, levels: number): string {
  return remembered(members, member, levels, () => describe(reader, member, levels - 1));
}

function describe(reader: FormReader, member: ShapeArm, levels: number): string {
  const inside = (nodes: ShapeArm["nodes"]): string => formSignature(reader, reader.of(nodes), levels);
  const limits = boundsText(member.bounds);
  if (member.type === "array")
    return `[${member.prefix.map(inside).join()}...${inside(member.items)}]${limits}`;
  const properties = [...member.properties].map(
    ([key, { nodes, required }]) => `${key}${required ? "" : "?"}:${inside(nodes)}`,
  );
  const forbidden = [...member.forbidden].map((key) => `${key}!`);
  const others = member.closed ? "closed" : inside(member.additional);
  return `{${[...properties, ...forbidden].join(";")};${others}}${limits}`;
}

/** How alike two arms are, from 0 to 1: by the members they share, and whether those look alike. */
export function similarity(readers: readonly [FormReader, FormReader], a: ShapeArm, b: ShapeArm): number {
  if (a.type !== b.type) return 0;
  if (a.type === "array") {
    const [items, others] = [
      formSignature(readers[0], readers[0].of(a.items), 1),
      formSignature(readers[1], readers[1].of(b.items), 1),
    ];
    return items === others ? 1 : 0.5;
  }
  const keys = new Set([...a.properties.keys(), ...b.properties.keys()]);
  if (keys.size === 0) return 1;
  let alike = 0;
  for (const key of keys) {
    const [left, right] = [a.properties.get(key), b.properties.get(key)];
    if (!left || !right) continue;
    const same =
      formSignature(readers[0], readers[0].of(left.nodes), 1) ===
      formSignature(readers[1], readers[1].of(right.nodes), 1);
    alike += same ? 1 : 0.5;
  }
  return alike / keys.size;
}
