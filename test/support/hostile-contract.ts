import type { Contract } from "../../generator/contract/contract.js";

/** Texts that try to inject markup, to break out of an attribute, or to be invisible. */
export const hostile = [
  "<script>alert(1)</script>",
  `"><img src=x onerror=alert(1)>`,
  "' onmouseover='alert(1)",
  "javascript:alert(1)",
  "]]></style><script>alert(1)</script><!--",
  "{{{evil}}} {{evil}}",
  "[click](javascript:alert(1)) <a href=javascript:alert(1)>x</a>",
  "a\u202eb\u2066c\u200bd\0e\ud800",
  "`</code><b>`",
  "__proto__",
];

/** Makes a contract in which all texts are hostile. */
export function hostileContract(): Contract {
  return {
    name: hostile[0]!,
    version: hostile[1]!,
    instructions: hostile.join("\n"),
    tools: hostile.map((text) => ({
      name: text,
      description: text,
      inputSchema: {
        type: "object",
        description: text,
        properties: { [text]: { enum: [text], description: text, default: text } },
      },
      outputSchema: { type: "object", properties: { [text]: { const: text } } },
      annotations: { [`${text}Hint`]: true },
    })),
    resources: hostile.map((text) => ({ name: text, uri: text, mimeType: text })),
    prompts: hostile.map((text) => ({ name: text, arguments: [{ name: text, description: text }] })),
  };
}
