import {
  type Refuse,
  type TemplateExpression,
  type TemplateVariable,
  templateParts,
  variablesIn,
} from "./expressions.js";
import { type VariablesOf, TemplateMatcher } from "./matcher.js";

/** Makes the errors of a template. */
export interface TemplateErrors {
  /** For a text that is not a template, or whose expansions do not determine the values of its variables. */
  readonly template: Refuse;
  /** For a value that cannot be expanded. */
  readonly value: Refuse;
}

/**
 * A URI template (RFC 6570), of levels 1 to 4. The time to expand grows with the length of template and values, the
 * time to match with the length of the URI. A template with very many variables takes longer to match, so limit the
 * length of untrusted templates.
 */
export class UriTemplate<const Text extends string = string> {
  readonly text: Text;
  /** The names of its variables, in order, each once. */
  readonly variables: readonly string[];
  readonly #parts: readonly (string | TemplateExpression)[];
  readonly #errors: TemplateErrors;
  #matcher: TemplateMatcher | undefined;

  /** @throws the error of `errors`: the text is not a template */
  constructor(text: Text, errors: TemplateErrors) {
    this.text = text;
    this.#errors = errors;
    this.#parts = templateParts(text, errors.template);
    this.variables = variablesIn(this.#parts);
  }

  /**
   * The URI with these values (RFC 6570, 3). A variable without a value is omitted.
   *
   * @throws the error of `errors`: the value for `{name:3}` is a list, or a text is not well-formed Unicode
   */
  expand(values: { readonly [name: string]: TemplateValue }): string {
    const refuse = this.#errors.value;
    return this.#parts
      .map((part) =>
        typeof part === "string" ? encodeLiteral(part, refuse) : expandExpression(part, values, refuse),
      )
      .join("");
  }

  /**
   * The decoded values of the variables in a URI, or `undefined` if the template does not match. Each variable ends at the
   * first occurrence of the text after it; a variable with `*` is a list.
   *
   * @throws the error of `errors`: expansions do not determine the values
   */
  match(uri: string): VariablesOf<Text> | undefined {
    this.#matcher ??= new TemplateMatcher(this.text, this.#errors.template);
    return this.#matcher.match(uri) as VariablesOf<Text> | undefined;
  }
}

type Scalar = string | number | boolean;

/**
 * The value of a variable (RFC 6570, 2.3): a text, a list, or names with values. A variable without a value, or with an
 * empty list, is omitted.
 */
export type TemplateValue =
  | Scalar
  | readonly (Scalar | null | undefined)[]
  | { readonly [name: string]: Scalar | null | undefined }
  | null
  | undefined;

/** How an operator expands its variables (RFC 6570, appendix A). */
interface Rule {
  readonly first: string;
  readonly separator: string;
  /** Text after the name of a variable with an empty value; absent if values come without names. */
  readonly afterName?: string;
  /** Keeps reserved characters and percent-encoding. */
  readonly reserved?: true;
}

const rules: { readonly [operator: string]: Rule } = {
  "": { first: "", separator: "," },
  "+": { first: "", separator: ",", reserved: true },
  "#": { first: "#", separator: ",", reserved: true },
  ".": { first: ".", separator: "." },
  "/": { first: "/", separator: "/" },
  ";": { first: ";", separator: ";", afterName: "" },
  "?": { first: "?", separator: "&", afterName: "=" },
  "&": { first: "&", separator: "&", afterName: "=" },
};

/** Expands one expression. */
function expandExpression(
  { operator, variables }: TemplateExpression,
  values: { readonly [name: string]: TemplateValue },
  refuse: Refuse,
): string {
  const rule = rules[operator]!;
  const texts = variables.flatMap((variable) => {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
    return value === undefined || value === null ? [] : textsOf(variable, value, rule, refuse);
  });
  return texts.length === 0 ? "" : rule.first + texts.join(rule.separator);
}

function textsOf(
  { name, exploded, length }: TemplateVariable,
  value: NonNullable<TemplateValue>,
  { afterName, reserved }: Rule,
  refuse: Refuse,
): readonly string[] {
  const encoded = (text: unknown): string => (reserved ? encodeLiteral : encode)(String(text), refuse);
  const named = (key: string, text: string): string => {
    if (afterName === undefined) return text;
    return text === "" ? key + afterName : `${key}=${text}`;
  };
  if (typeof value !== "object") {
    const text = String(value);
    return [named(name, encoded(length === undefined ? text : [...text].slice(0, length).join("")))];
  }
  if (length !== undefined) throw refuse(`{${name}:${length}}: a list has no first characters`);
  const items = Object.entries(value)
    .filter(([, item]) => item !== undefined && item !== null)
    .map(([key, item]) => [encoded(key), encoded(item)] as const);
  if (items.length === 0) return [];
  if (isList(value)) {
    const texts = items.map(([, item]) => item);
    return exploded ? texts.map((text) => named(name, text)) : [named(name, texts.join(","))];
  }
  if (!exploded) return [named(name, items.flat().join(","))];
  return items.map(([key, item]) => (afterName === undefined ? `${key}=${item}` : named(key, item)));
}

function isList(value: object): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Encodes all but unreserved characters (RFC 6570, 3.2.1). */
function encode(text: string, refuse: Refuse): string {
  return encodeWhole(text, refuse).replace(
    /[!'()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Encodes a literal: keeps reserved characters of URIs and existing percent-encoding (RFC 6570, 3.1). */
function encodeLiteral(text: string, refuse: Refuse): string {
  const parts = text.split(/(%[\dA-Fa-f]{2}|[\w.~:/?#[\]@!$&'()*+,;=-]+)/);
  return parts.map((part, index) => (index % 2 === 1 ? part : encodeWhole(part, refuse))).join("");
}

function encodeWhole(text: string, refuse: Refuse): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw refuse(`${JSON.stringify(text.slice(0, 60))} is not well-formed Unicode`);
  }
}
