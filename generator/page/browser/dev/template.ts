import type { Json, Members } from "./messages.js";

/** An expression of a URI template (RFC 6570): its operator, and its variables. */
const expression = /\{([+#./;?&]?)([^{}]*)\}/g;

/** A form schema with the variables of a URI template. */
export function templateSchema(template: string): Json {
  const names = [...template.matchAll(expression)].flatMap(([, , list]) =>
    list!.split(",").map((variable) => nameOf(variable)),
  );
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
    required: [],
  };
}

/** Expands a URI template with the variables that have a value. */
export function expanded(template: string, values: Members): string {
  return template.replace(expression, (_, operator: string, list: string) => {
    const isReserved = operator === "+" || operator === "#";
    const isNamed = operator === ";" || operator === "?" || operator === "&";
    const separator = isNamed
      ? operator === "?"
        ? "&"
        : operator
      : operator === "." || operator === "/"
        ? operator
        : ",";
    const parts = list.split(",").flatMap((variable) => {
      const name = nameOf(variable);
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) return [];
      const text = isReserved ? encodeURI(String(value)) : encodeURIComponent(String(value));
      return [isNamed ? `${name}=${text}` : text];
    });
    return parts.length === 0 ? "" : (operator === "+" ? "" : operator) + parts.join(separator);
  });
}

function nameOf(variable: string): string {
  return variable.replace(/(\*|:\d+)$/, "");
}
