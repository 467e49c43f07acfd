import { memberKey, stringLiteral } from "../print/text.js";
import type { Section, Wanted } from "./wanted.js";

/** Where stubs are inserted, which decides which types must be written. */
export interface StubPlace {
  /** How the file refers to the contract's `Handlers`. */
  readonly handlers: string;
  readonly kind: "literal" | "class";
  /** Whether parameters have a contextual type. */
  readonly typed: boolean;
  /** One step of indentation. */
  readonly step: string;
  /** Whether the file is JavaScript, without types. */
  readonly script?: boolean;
  /** Names of arguments with completion, by prompt or URI template. */
  readonly completable?: ReadonlyMap<string, readonly string[]> | undefined;
}

const parameters: Readonly<Record<Exclude<Section, "completions">, string>> = {
  tools: "args, context",
  resources: "uri, context",
  resourceTemplates: "variables, context, uri",
  prompts: "args, context",
};

/** The lines of a function stub. Its result type is written, so that an excess field does not compile. */
export function memberStub(section: Section, name: string, place: StubPlace): string[] {
  if (section === "completions") return completionsStub(name, place);
  const { handlers, kind, typed, step, script = false } = place;
  const type = `${handlers}["${section}"][${stringLiteral(name)}]`;
  const given = typed || script ? parameters[section] : `...[${parameters[section]}]: Parameters<${type}>`;
  const answer = script ? "" : `: Promise<${answerOf(handlers, section, name)}>`;
  // In a class, an unquoted `constructor` would be the class's constructor.
  const key = kind === "class" && name === "constructor" ? '["constructor"]' : memberKey(name);
  return [
    `async ${key}(${given})${answer} {`,
    `${step}throw new Error(${stringLiteral(`${name} is not written yet`)});`,
    "}",
  ];
}

/** Completion stubs that suggest nothing, which is a valid result. */
function completionsStub(name: string, { handlers, kind, step, script, completable }: StubPlace): string[] {
  const type = script ? "" : `: ${handlers}["completions"][${stringLiteral(name)}]`;
  const open = kind === "class" ? `${memberKey(name)}${type} = {` : `${memberKey(name)}: {`;
  const names = completable?.get(name) ?? [];
  return [
    open,
    ...names.map((each) => `${step}${memberKey(each)}: async () => [],`),
    kind === "class" ? "};" : "}",
  ];
}

/** The type of a function's result. An imported `Handlers` is also a namespace with a short name for it. */
function answerOf(handlers: string, section: Section, name: string): string {
  return /^(?:import\("[^"\\]+"\)\.)?[\w$.]+$/.test(handlers)
    ? `${handlers}.Answer<"${section}", ${stringLiteral(name)}>`
    : `Awaited<ReturnType<${handlers}["${section}"][${stringLiteral(name)}]>>`;
}

/** The lines of a section with stubs for all its functions. */
export function sectionStub(section: Section, names: readonly string[], place: StubPlace): string[] {
  const inner: StubPlace = { ...place, kind: "literal", typed: place.typed || place.kind === "class" };
  const typed = place.script ? section : `readonly ${section}: ${place.handlers}["${section}"]`;
  const open = place.kind === "class" ? `${typed} = {` : `${section}: {`;
  const body = names.flatMap((name) => {
    const lines = memberStub(section, name, inner);
    return [...lines.slice(0, -1), `${lines.at(-1)},`].map((line) => place.step + line);
  });
  return [open, ...body, place.kind === "class" ? "};" : "}"];
}

/**
 * A complete file of handler stubs.
 *
 * @param module the module to import `Handlers` from
 */
export function handlersStub(
  wanted: Wanted,
  module: string,
  completable?: ReadonlyMap<string, readonly string[]>,
): string {
  const place: StubPlace = { handlers: "Handlers", kind: "literal", typed: true, step: "  ", completable };
  const members = [...wanted].flatMap(([section, names]) => {
    const lines = sectionStub(section, names, place);
    return [...lines.slice(0, -1), `${lines.at(-1)},`].map((line) => `  ${line}`);
  });
  return [
    `import type { Handlers } from ${stringLiteral(module)};`,
    "",
    "export const handlers: Handlers = {",
    ...members,
    "};",
    "",
  ].join("\n");
}
