import type { Open } from "@mcpgen/runtime";

type Schema = Open<"ElicitRequestFormParams">["requestedSchema"];
type Value = string | number | boolean | string[];

/** The content of a user's form who accepts every default. A field without a default gets a valid value. */
export function fillDefaults({ properties, required = [] }: Schema): Record<string, Value> {
  const content: Record<string, Value> = {};
  for (const [name, property] of Object.entries(properties)) {
    const { default: preset } = property as { readonly default?: Value };
    if (preset !== undefined) content[name] = preset;
    else if (required.includes(name) || property.type === "boolean") content[name] = fitting(property);
  }
  return content;
}

function fitting(property: Schema["properties"][string]): Value {
  switch (property.type) {
    case "boolean":
      return true;
    case "number":
    case "integer":
      return property.minimum ?? 1;
    case "array":
      return [];
    case "string":
      return "enum" in property ? property.enum[0]! : "oneOf" in property ? property.oneOf[0]!.const : "text";
    default:
      return "text";
  }
}
