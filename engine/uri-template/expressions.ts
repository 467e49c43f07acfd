/** Makes the error for a template or a value that is wrong. */
export type Refuse = (problem: string) => Error;

/** An expression of a URI template: variables that one operator expands (RFC 6570, 2.2). */
export interface TemplateExpression {
  /** Empty for simple expansion. */
  readonly operator: string;
  readonly variables: readonly TemplateVariable[];
}

export interface TemplateVariable {
  readonly name: string;
  /** The modifier `*`: each item of the value is expanded by itself. */
  readonly exploded?: boolean;
  /** The modifier `:length`: only the first characters of the value are expanded. */
  readonly length?: number;
}

/** A name with its modifier (RFC 6570, 2.3 and 2.4). */
const variable = /^((?:\w|%[\dA-Fa-f]{2})(?:\.?(?:\w|%[\dA-Fa-f]{2}))*)(?:(\*)|:([1-9]\d{0,3}))?$/;

/**
 * Reads a URI template (RFC 6570), all levels.
 *
 * @returns its literals and expressions, in order
 * @throws the error of `refuse`, for a text that is not a template
 */
export function templateParts(text: string, refuse: Refuse): readonly (string | TemplateExpression)[] {
  const parts: (string | TemplateExpression)[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{", at);
    const literal = text.slice(at, open < 0 ? undefined : open);
    if (literal.includes("}")) throw refuse("a } was never opened");
    if (literal !== "") parts.push(literal);
    if (open < 0) break;
    const close = text.indexOf("}", open);
    if (close < 0) throw refuse("a { is never closed");
    parts.push(expressionOf(text.slice(open + 1, close), refuse));
    at = close + 1;
  }
  return parts;
}

function expressionOf(inner: string, refuse: Refuse): TemplateExpression {
  const operator = /^[^\w%]/.exec(inner)?.[0] ?? "";
  if (!"+#./;?&".includes(operator)) throw refuse(`RFC 6570 has no operator ${JSON.stringify(operator)}`);
  const variables = inner
    .slice(operator.length)
    .split(",")
    .map((given) => {
      const [, name, exploded, length] = variable.exec(given) ?? [];
      if (name === undefined) throw refuse(`${JSON.stringify(given)} is not the name of a variable`);
      return { name, ...(exploded && { exploded: true }), ...(length && { length: Number(length) }) };
    });
  return { operator, variables };
}

/** The names of the variables, in order, each once. */
export function variablesIn(parts: readonly (string | TemplateExpression)[]): string[] {
  const names = parts.flatMap((part) =>
    typeof part === "string" ? [] : part.variables.map(({ name }) => name),
  );
  return [...new Set(names)];
}
