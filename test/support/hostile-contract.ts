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

/** Markdown that tries to run, to load, to lead elsewhere, to hide text, or to take long. */
export const markdownAttacks = [
  "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,<script>alert(1)</script>) <javascript:alert(1)>",
  "![a](http://127.0.0.1:9/a.png) [![b](http://127.0.0.1:9/b.png)](http://127.0.0.1:9/c) ![c][d]\n\n[d]: http://127.0.0.1:9/d.png",
  `<img src=x onerror=alert(1)>\n\n<script>alert(1)</script>\n\n<details open ontoggle=alert(1)>\n\n**a**`,
  '[a](https://a.example/ "\\" onmouseover=alert(1) ") [b](https://a.example/"onclick="alert(1))',
  `${"> ".repeat(500)}a`,
  `${"- ".repeat(500)}a`,
  `${"*a **b ".repeat(300)}`,
  `${"[".repeat(3_000)}a${"](b)".repeat(500)}`,
  `|${"a|".repeat(1_000)}\n|${"-|".repeat(1_000)}\n|${"b|".repeat(1_000)}`,
  `|a|b|\n|-|-|\n${"|c|d|\n".repeat(900)}`,
  "<https://\u202emoc.elpmaxe/\u2066a> [\u05d0\u05d1](https://a.example/) <https://a.example/\u200b>",
  '```js onload=alert(1)\nalert(1)\n```\n\n~~~"><script>alert(1)</script>\na',
  "[//]: # (hidden words)\n\n# Tools\n\nTools\n=====",
  `&#x3c;script&#x3e;alert(1)&#x3c;/script&#x3e; [a](&#x6a;avascript:alert(1))`,
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
