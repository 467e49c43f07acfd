import type { Json, Members } from "../messages.js";

/** The kind of control for a value. */
export type Control =
  | TextControl
  | { readonly kind: "number" | "integer"; readonly least?: number; readonly most?: number }
  | { readonly kind: "boolean" }
  /** One of several values. */
  | { readonly kind: "choice"; readonly choices: readonly Choice[] }
  /** Any number of several values. */
  | { readonly kind: "choices"; readonly choices: readonly Choice[] }
  /** A list of simple values. */
  | { readonly kind: "list"; readonly item: Control }
  /** An object with known members. */
  | { readonly kind: "group"; readonly fields: readonly Field[] }
  /** Any value, as JSON. */
  | { readonly kind: "json" };

export interface TextControl {
  readonly kind: "text";
  readonly format?: string;
  readonly least?: number;
  readonly most?: number;
  /** Values to propose. */
  readonly examples?: readonly string[];
}

export interface Choice {
  readonly value: Json;
  readonly label: string;
}

/** A member of an object, as a field of a form. */
export interface Field {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly required: boolean;
  readonly initial?: Json;
  readonly control: Control;
}

/** Maximum nesting of groups; deeper objects are entered as JSON. */
const deepest = 4;

/** Maximum number of fields; a larger schema is entered as JSON. */
const mostFields = 300;

/** Maximum number of proposed values. */
const mostExamples = 100;

/** Maximum number of choices in one control. */
const mostChoices = 1_000;

/** The control for a schema; a JSON editor unless the schema is an object with known members. */
export function controlOf(schema: Json | undefined): Control {
  return new Reader(schema).control(schema, 0);
}

class Reader {
  readonly #root: Json | undefined;
  #fields = 0;

  constructor(root: Json | undefined) {
    this.#root = root;
  }

  control(schema: Json | undefined, depth: number): Control {
    const node = this.#resolved(schema);
    if (!node) return { kind: "json" };
    const choices = choicesOf(node);
    if (choices) return choices.length > mostChoices ? { kind: "json" } : { kind: "choice", choices };
    if (unclear.some((keyword) => keyword in node)) return { kind: "json" };
    switch (typeOf(node)) {
      case "string":
        return textControl(node);
      case "number":
      case "integer":
        return numberControl(typeOf(node) as "number", node);
      case "boolean":
        return { kind: "boolean" };
      case "array":
        return this.#list(node, depth);
      case "object":
        return this.#group(node, depth);
      default:
        return { kind: "json" };
    }
  }

  #list(node: Members, depth: number): Control {
    if ("prefixItems" in node) return { kind: "json" };
    const item = this.control(node["items"], depth);
    if (item.kind === "choice" && node["uniqueItems"] === true)
      return { kind: "choices", choices: item.choices };
    return isSimple(item) ? { kind: "list", item } : { kind: "json" };
  }

  #group(node: Members, depth: number): Control {
    const properties = objectOf(node["properties"]);
    // Members without a fixed name can only be entered as JSON.
    const isOpen = typeof node["additionalProperties"] === "object" || "patternProperties" in node;
    if (isOpen || depth === deepest || (!properties && depth > 0)) return { kind: "json" };
    const entries = Object.entries(properties ?? {});
    this.#fields += entries.length;
    if (this.#fields > mostFields) return { kind: "json" };
    const required = Array.isArray(node["required"]) ? (node["required"] as readonly Json[]) : [];
    const fields = entries.map(([name, member]) => this.#field(name, member, required.includes(name), depth));
    return { kind: "group", fields };
  }

  #field(name: string, schema: Json, required: boolean, depth: number): Field {
    const node = this.#resolved(schema) ?? {};
    const written = objectOf(schema) ?? {};
    const { title, description, default: initial } = { ...node, ...written };
    return {
      ...{ name, required, title: typeof title === "string" && title !== "" ? title : name },
      ...(typeof description === "string" && { description }),
      ...(initial !== undefined && { initial }),
      control: this.control(schema, depth + 1),
    };
  }

  /** The schema after resolving references and removing an alternative `null`. */
  #resolved(schema: Json | undefined): Members | undefined {
    let node = objectOf(schema);
    for (let steps = 0; node && steps < 20; steps++) {
      const next = this.#step(node);
      if (next === undefined) return node;
      node = objectOf(next);
    }
    return undefined;
  }

  #step({ $ref: reference, anyOf, oneOf, allOf, ...rest }: Members): Json | undefined {
    if (typeof reference === "string") return merged(this.#referred(reference), rest);
    const arms = [anyOf, oneOf].find((each) => Array.isArray(each)) as readonly Json[] | undefined;
    const others = arms?.filter((arm) => objectOf(arm)?.["type"] !== "null");
    if (others?.length === 1) return merged(others[0], rest);
    return Array.isArray(allOf) && allOf.length === 1
      ? merged((allOf as readonly Json[])[0], rest)
      : undefined;
  }

  /** The target of a reference; null if there is none. */
  #referred(reference: string): Json {
    if (!/^#(\/|$)/.test(reference)) return null;
    let value: Json | undefined = this.#root;
    for (const part of reference.split("/").slice(1)) {
      const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return null;
      value = (value as Members)[key];
    }
    return value ?? null;
  }
}

/** Keywords that make a schema more complex than a form can show. */
const unclear = ["anyOf", "oneOf", "allOf", "if", "not", "dependentSchemas", "$dynamicRef"];

function merged(target: Json | undefined, rest: Members): Json {
  const node = objectOf(target);
  return node ? { ...node, ...rest } : null;
}

function objectOf(value: Json | undefined): Members | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Members)
    : undefined;
}

/** The only type besides null; `object` may be implied. */
function typeOf(node: Members): string | undefined {
  const { type } = node;
  if (Array.isArray(type)) {
    const [only, another] = (type as readonly Json[]).filter((each) => each !== "null");
    return another === undefined && typeof only === "string" ? only : undefined;
  }
  if (typeof type === "string") return type;
  return "properties" in node ? "object" : undefined;
}

/** The listed values; undefined if the schema lists none. */
function choicesOf(node: Members): Choice[] | undefined {
  const { enum: values, enumNames, const: only } = node;
  if (only !== undefined) return [{ value: only, label: labelOf(only) }];
  if (Array.isArray(values)) {
    const names = Array.isArray(enumNames) ? (enumNames as readonly Json[]) : [];
    return (values as readonly Json[]).map((value, index) => ({
      value,
      label: typeof names[index] === "string" ? String(names[index]) : labelOf(value),
    }));
  }
  const arms = node["oneOf"] ?? node["anyOf"];
  if (!Array.isArray(arms) || arms.length === 0) return undefined;
  const titled = (arms as readonly Json[]).map((arm) => objectOf(arm));
  if (!titled.every((arm) => arm !== undefined && arm["const"] !== undefined)) return undefined;
  return titled.map((arm) => {
    const value = arm!["const"]!;
    return { value, label: typeof arm!["title"] === "string" ? arm!["title"] : labelOf(value) };
  });
}

function labelOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function textControl({ format, minLength, maxLength, examples }: Members): Control {
  const texts = Array.isArray(examples)
    ? (examples as readonly Json[]).filter((each) => typeof each === "string").slice(0, mostExamples)
    : [];
  return {
    kind: "text",
    ...(typeof format === "string" && { format }),
    ...(typeof minLength === "number" && { least: minLength }),
    ...(typeof maxLength === "number" && { most: maxLength }),
    ...(texts.length > 0 && { examples: texts }),
  };
}

function numberControl(kind: "number" | "integer", { minimum, maximum }: Members): Control {
  return {
    kind,
    ...(typeof minimum === "number" && { least: minimum }),
    ...(typeof maximum === "number" && { most: maximum }),
  };
}

function isSimple({ kind }: Control): boolean {
  return (
    kind === "text" || kind === "number" || kind === "integer" || kind === "boolean" || kind === "choice"
  );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
