import fc from "fast-check";

/** A file that a user could have written, and the handlers that it lacks. */
export interface NastyFile {
  /** TypeScript, or JavaScript with types in comments. */
  readonly file: "h.ts" | "h.mjs";
  readonly text: string;
  /** `section name` of everything that is missing where something can be inserted, sorted. */
  readonly missing: readonly string[];
  /** How often `sync` cannot know. */
  readonly open: number;
  /** Names that no contract has. */
  readonly strays: readonly string[];
}

export const offered = {
  tools: ["get_weather", "list-cities", "constructor", "__proto__", "größe"],
  prompts: ["forecast", "*/ `${x}`"],
} as const;

type Section = keyof typeof offered;

const comment = fc.constantFrom("", "", "/* a { */ ", "/** `}` */ ", "/* eslint-disable */ ");
const lineComment = fc.constantFrom("", "", " // } not the end", " // größe €", " /* two\n   lines } */");
const body = fc.constantFrom(
  "{}",
  "{ return `${{ a: `}` }.a} // no comment`; }",
  "{ return /[}/{]/g.test('}'); }",
  '{ const s = "// } \\" {"; return s; }',
  "{\n\n      if (x) { y(); }\n    }",
);
const stray = fc.constantFrom("old_tool", "helper2", "'quoted one'");

interface Section_ {
  readonly text: string;
  readonly missing: readonly string[];
  readonly open: boolean;
  readonly strays: readonly string[];
}

/** One section's literal, of some of its members, in some layout. */
function literal(section: Section): fc.Arbitrary<Section_> {
  const names = fc.subarray([...offered[section]], { minLength: 0 });
  return fc
    .record({
      names,
      extra: fc.option(stray, { nil: undefined, freq: 4 }),
      spread: fc.constantFrom("", "", "", "...base", "[dynamic]: f"),
      layout: fc.constantFrom("lines", "lines", "one", "mixed"),
      trailing: fc.boolean(),
      texts: fc.array(fc.tuple(comment, lineComment, body), { minLength: 9, maxLength: 9 }),
      end: fc.constantFrom("", "", "// the end }", "/* the end */"),
    })
    .map(({ names: has, extra, spread, layout, trailing, texts, end }) => {
      const members = [
        ...has.map((name) => `${memberStart(name)} ${texts[has.indexOf(name)]![2]}`),
        ...(extra === undefined ? [] : [`${extra}: (x) => x`]),
        ...(spread === "" ? [] : [spread]),
      ];
      return {
        text: laidOut(members, layout, trailing, texts, end),
        missing:
          spread === ""
            ? offered[section].filter((name) => !has.includes(name)).map((name) => `${section} ${name}`)
            : [],
        open: spread !== "" && has.length < offered[section].length,
        strays: extra === undefined ? [] : [extra.replaceAll("'", "")],
      };
    });
}

function memberStart(name: string): string {
  if (name === "__proto__") return "async __proto__(args)";
  if (name === "forecast") return "forecast: function* named()";
  if (name === "größe") return "größe()";
  return /^\w+$/.test(name) ? `async ${name}({ a, b: [c] }, context)` : `[${JSON.stringify(name)}](args)`;
}

function laidOut(
  members: readonly string[],
  layout: string,
  trailing: boolean,
  texts: readonly (readonly [string, string, string])[],
  end: string,
): string {
  const comma = (index: number): string => (index < members.length - 1 || trailing ? "," : "");
  if (members.length === 0) return layout === "one" ? "{}" : `{\n    ${end}\n  }`;
  if (layout === "one")
    return `{ ${members.map((member, index) => `${texts[index]![0]}${member}${comma(index)}`).join(" ")} }`;
  const lines = members.map(
    (member, index) => `    ${texts[index]![0]}${member}${comma(index)}${texts[index]![1]}`,
  );
  const last = end === "" ? "" : `    ${end}\n`;
  return layout === "mixed" ? `{${lines.join("\n").trimStart()}\n  }` : `{\n${lines.join("\n")}\n${last}  }`;
}

/** A file of one or two servers, surrounded by code that looks like servers. */
export const nastyFile: fc.Arbitrary<NastyFile> = fc
  .record({
    tools: literal("tools"),
    prompts: fc.option(literal("prompts"), { nil: undefined, freq: 4 }),
    form: fc.constantFrom(
      "annotation",
      "satisfies",
      "class",
      "return",
      "names",
      "argument",
      "later",
      "import type",
      "parameter",
      "script",
    ),
    second: fc.option(literal("tools"), { nil: undefined }),
    lineEnd: fc.constantFrom("\n", "\n", "\r\n", "\r"),
    indent: fc.constantFrom("  ", "\t", "    ", " "),
    before: fc.constantFrom("", "\uFEFF", "#!/usr/bin/env node\n", '"use strict";\n// größe {{{\n'),
    after: fc.constantFrom(
      "",
      "\n",
      "\n\n// end without a line end",
      "\nconst s = `const h: Handlers = { tools: { } }`;\n",
    ),
  })
  .map(({ tools, prompts, form, second, lineEnd, indent, before, after }) => {
    const parts = [tools, ...(prompts ? [prompts] : []), ...(second ? [second] : [])];
    const script = form === "script";
    const text =
      `${before}${script ? "" : imports}@decorated({ tools: {} })\nclass Around { @field() tools = {}; }\n` +
      whole(form, tools.text, prompts?.text) +
      (second
        ? `\n${script ? scripted.other : "export const other: Other ="} {\n  tools: ${second.text},\n};`
        : "") +
      after;
    const reindented = text.replace(/^(?: {2})+/gm, (spaces) => indent.repeat(spaces.length / 2));
    return {
      file: script ? "h.mjs" : "h.ts",
      text: reindented.replaceAll("\n", lineEnd),
      missing: [
        ...parts.flatMap(({ missing }) => missing),
        ...(prompts ? [] : offered.prompts.map((name) => `prompts ${name}`)),
      ].sort(),
      open: parts.filter(({ open }) => open).length,
      strays: parts.flatMap(({ strays }) => strays).sort(),
    };
  });

const imports =
  'import { type Handlers, createNastyServer } from "./generated/server.js";\n' +
  'import type { Handlers as Other } from "./other/server.js";\n\n';

const scripted = {
  handlers: '/** @type {import("./generated/server.js").Handlers} } */\nexport const handlers =',
  other:
    '/**\n * `{` @typedef {import("./other/server.js").Handlers} Other\n */\n/** @type {Other} */ export const other =',
} as const;

function whole(form: string, tools: string, prompts: string | undefined): string {
  const members = `{\n  tools: ${tools},${prompts === undefined ? "" : `\n  prompts: ${prompts}`}\n}`;
  switch (form) {
    case "annotation":
      return `export const handlers: Handlers = ${members};`;
    case "satisfies":
      return `export default ${members} satisfies Handlers`;
    case "class":
      return `@decorated() export class Mine implements Handlers {\n  /** mine */ @log readonly tools: Handlers["tools"] = ${tools};\n  static prompts = {};${prompts === undefined ? "" : `\n  get prompts() { return ${prompts}; }`}\n  #own = 1\n}`;
    case "return":
      return `export function make(db: Db): Handlers {\n  const inner = () => { return {}; };\n  return ${members};\n}`;
    case "names":
      return `const tools = ${tools}\n${prompts === undefined ? "" : `const prompts = ${prompts};\n`}export const handlers: Handlers = { tools${prompts === undefined ? "" : ", prompts"} }`;
    case "later":
      return `let handlers: Handlers | undefined;\nfunction late() {\n  handlers = ${members};\n}\nlate()`;
    case "import type":
      return `const handlers: Readonly<import("./generated/server.js").Handlers> & { x?: 1 } = ${members};`;
    case "parameter":
      return `export const serve = (handlers: Handlers = ${members}, { tools } = {}) => tools;`;
    case "script":
      return `${scripted.handlers} ${members};`;
    default:
      return `const server = createNastyServer(${members}, {});`;
  }
}
