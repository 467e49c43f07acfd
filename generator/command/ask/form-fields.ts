import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";

/** One field of a form that a server asks its user to fill in (elicitation, requested schema). */
export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices";
  readonly choices: readonly Choice[];
  readonly fallback: JsonValue | undefined;
  /** Describes why a value is invalid; undefined if it is valid. */
  readonly fault: (value: JsonValue) => string | undefined;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The fields of a form, in the order of its schema. */
export function formFields(schema: JsonValue | undefined): FormField[] {
  if (!isJsonObject(schema!) || !isJsonObject(schema["properties"]!)) return [];
  const { required } = schema;
  const names = Array.isArray(required) ? required : [];
  return Object.entries(schema["properties"]).flatMap(([name, property]) =>
    isJsonObject(property!) ? [fieldOf(name, property, names.includes(name))] : [],
  );
}

function fieldOf(name: string, property: JsonObject, isRequired: boolean): FormField {
  const { title, description, type, items } = property;
  const isList = type === "array";
  const choices = choicesOf(isList && isJsonObject(items!) ? items : property);
  const kind = isList
    ? "choices"
    : choices.length > 0
      ? "choice"
      : type === "number" || type === "integer" || type === "boolean"
        ? type
        : "text";
  return {
    name,
    title: typeof title === "string" ? title : name,
    description: typeof description === "string" ? description : undefined,
    isRequired,
    kind,
    choices,
    fallback: property["default"],
    fault: (value) => faultOf(kind, property, choices, value),
  };
}

/**
 * Reads the choices of a field from each form that revisions of MCP use: `enum` with optional `enumNames`,
 * and `oneOf` or `anyOf` with titled constants.
 */
function choicesOf({ enum: values, enumNames, oneOf, anyOf }: JsonObject): Choice[] {
  if (Array.isArray(values)) {
    const labels = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, index) => ({ value: String(value), label: String(labels[index] ?? value) }));
  }
  const titled = oneOf ?? anyOf;
  if (!Array.isArray(titled)) return [];
  return titled.flatMap((choice) =>
    isJsonObject(choice) && typeof choice["const"] === "string"
      ? [{ value: choice["const"], label: String(choice["title"] ?? choice["const"]) }]
      : [],
  );
}

function faultOf(
  kind: FormField["kind"],
  property: JsonObject,
  choices: readonly Choice[],
  value: JsonValue,
): string | undefined {
  const known = (each: JsonValue): boolean => choices.some((choice) => choice.value === each);
  switch (kind) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "true or false";
    case "choice":
      return known(value) ? undefined : `one of ${choices.map((choice) => choice.value).join(", ")}`;
    case "choices":
      return !Array.isArray(value) || !value.every(known)
        ? `some of ${choices.map((choice) => choice.value).join(", ")}`
        : boundFault(property, "Items", value.length, "choices");
    case "text":
      return typeof value === "string" ? textFault(property, value) : "a text";
    default:
      return numberFault(kind, property, value);
  }
}

function numberFault(
  kind: "number" | "integer",
  { minimum, maximum }: JsonObject,
  value: JsonValue,
): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "a number";
  if (kind === "integer" && !Number.isInteger(value)) return "a whole number";
  if (typeof minimum === "number" && value < minimum) return `at least ${minimum}`;
  return typeof maximum === "number" && value > maximum ? `at most ${maximum}` : undefined;
}

/** Checks formats loosely, so that a user sees plain mistakes at once; the server checks them strictly. */
function textFault(property: JsonObject, value: string): string | undefined {
  const length = boundFault(property, "Length", [...value].length, "characters");
  if (length !== undefined) return length;
  const { format } = property;
  if (format === "email" && !/^[^\s@]+@[^\s@]+$/.test(value)) return "an address such as ada@example.com";
  if (format === "uri" && !URL.canParse(value)) return "a URI such as https://example.com";
  if (format === "date" && !/^\d{4}-\d{2}-\d{2}$/.test(value)) return "a date such as 2030-12-31";
  if (format === "date-time" && !/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}/.test(value))
    return "a date and time such as 2030-12-31T12:00:00Z";
  return undefined;
}

function boundFault(property: JsonObject, what: string, size: number, unit: string): string | undefined {
  const [least, most] = [property[`min${what}`], property[`max${what}`]];
  if (typeof least === "number" && size < least) return `at least ${least} ${unit}`;
  return typeof most === "number" && size > most ? `at most ${most} ${unit}` : undefined;
}
