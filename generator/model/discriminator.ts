import type { Schema, SchemaNode } from "@mcpgen/engine";
import type { Assumption, Discriminator } from "./model.js";
import { conjuncts, constantMember, hasMember, memberNodes, requiredMembers } from "./object-view.js";

/** Finds the member that distinguishes `alternative` from the plain result. A guess by naming is reported. */
export function discriminate(
  schema: Schema,
  plain: string | undefined,
  alternative: string,
  assumptions: Assumption[],
): { discriminator?: Discriminator } {
  const node = schema.definitions.get(alternative)?.node;
  if (!node) return {};
  const plainNode: SchemaNode = schema.definitions.get(plain ?? "")?.node ?? { pointer: "" };
  const certain = certainMark(schema, plainNode, node);
  if (certain) return { discriminator: certain };
  const assumed = byName(schema, alternative, node);
  const text = assumed
    ? `${alternative} is taken to be marked by ${assumed.key} being ${JSON.stringify(assumed.value)}, after its name.`
    : `Nothing in the schema distinguishes ${alternative} from ${plain ?? "any other result"}.`;
  assumptions.push({ kind: "alternative", subject: alternative, text });
  return assumed ? { discriminator: assumed } : {};
}

/** The member that every value of `node` has, and no value of `plain`, as far as the schema says so. */
export function certainMark(schema: Schema, plain: SchemaNode, node: SchemaNode): Discriminator | undefined {
  return byConstant(schema, plain, node) ?? byPresence(schema, plain, node);
}

/**
 * A required member with a constant that the plain result's member does not have to be: best one with another constant
 * there. The constant distinguishes it from any string, too (`resultType`).
 */
function byConstant(schema: Schema, plain: SchemaNode, node: SchemaNode): Discriminator | undefined {
  const marks = [...requiredMembers(schema, node)].flatMap((key) => {
    const value = constantMember(schema, node, key);
    const other = constantMember(schema, plain, key);
    const isShared = value !== undefined && value !== other && hasMember(schema, plain, key);
    return isShared ? [{ mark: { key, value }, isSure: other !== undefined }] : [];
  });
  return (marks.find(({ isSure }) => isSure) ?? marks[0])?.mark;
}

/** A required member that the plain result does not have. */
function byPresence(schema: Schema, plain: SchemaNode, node: SchemaNode): Discriminator | undefined {
  for (const key of requiredMembers(schema, node)) {
    if (hasMember(schema, plain, key)) continue;
    const value = constantMember(schema, node, key);
    return value === undefined ? { key } : { key, value };
  }
  return undefined;
}

/** A required string that names the kind of result: `InputRequiredResult` is `input_required`. */
function byName(schema: Schema, name: string, node: SchemaNode): Discriminator | undefined {
  const key = [...requiredMembers(schema, node)].find((member) =>
    memberNodes(schema, node, member).some((child) =>
      conjuncts(schema, child).some(
        ({ types, enum: values }) => types?.[0] === "string" && types.length === 1 && !values,
      ),
    ),
  );
  if (key === undefined) return undefined;
  const words = name.replace(/Result$/, "").match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g);
  return words ? { key, value: words.join("_").toLowerCase() } : undefined;
}
