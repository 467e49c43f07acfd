// Writes the templates that hold code of the engine's: node scripts/run-ts.mjs scripts/engine-templates.ts
import { readFileSync, writeFileSync } from "node:fs";

/** Files of the engine that a template holds, one after another, each behind those it imports from. */
const templates = {
  "formats.ts.hbs": {
    about:
      "// Whether texts are of the formats of JSON Schema. Each takes time that grows\n// with the length of the text alone.",
    files: [
      "formats/address",
      "formats/punycode",
      "formats/international-label",
      "formats/hostname",
      "formats/email",
      "formats/pointer",
      "formats/time",
      "formats/uri",
      "formats/format",
    ],
    end: "",
  },
  "patterns.ts.hbs": {
    about:
      "// Matches patterns that the regular expressions of the platform may take time\n// without bound for.",
    files: ["patterns/character-set", "patterns/parse", "patterns/program", "patterns/linear-matcher"],
    end: `
/** A matcher of \`pattern\` whose time grows with the length of the text; it is made for the first text. */
export function linearMatcher(pattern: string): {
  test(text: string): boolean;
} {
  let matcher: LinearMatcher | RegExp | undefined;
  return { test: (text) => (matcher ??= matcherOf(pattern)).test(text) };
}

function matcherOf(pattern: string): LinearMatcher | RegExp {
  const expression = parsePattern(pattern);
  const program = expression && programOf(expression);
  return program ? new LinearMatcher(program) : new RegExp(pattern, "u");
}
`,
  },
};

/** The templates by name. */
export function engineTemplates(): Map<string, string> {
  return new Map(
    Object.entries(templates).map(([name, { about, files, end }]) => {
      const sources = files.map((file) => readFileSync(`engine/${file}.ts`, "utf8"));
      const code = sources
        .map(withoutImports)
        .join("\n")
        .replace(/^function isRegex/m, "export function isRegex");
      return [name, `{{> header}}\n\n${about}\n\n${code}${end}`];
    }),
  );
}

function withoutImports(source: string): string {
  return source.replace(/^import [^;]*;\n/gm, "").trimStart();
}

if (process.argv[1]?.endsWith("engine-templates.ts")) {
  for (const [name, content] of engineTemplates()) writeFileSync(`templates/${name}`, content);
}
