import type { FormReader } from "../../compare/shape/form-reader.js";
import type { Form, ShapeArm } from "../../compare/shape/form.js";
import type { TextBlock } from "./plan.js";
import { constantsOf } from "./tests.js";

/** The arm of a form that is no more than a text: beside constants it requires one string, and any will do. */
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
