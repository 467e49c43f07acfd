import { type Definition, type Schema, Tags, descendants, reachingOpen } from "@mcpgen/engine";
import { laidOutTexts } from "../../print/code-layout.js";
import { copyModule } from "../copied-module.js";
import type { Emitter, SchemaInput, WorkspaceInput } from "../emitter.js";
import { capitalised } from "../../print/names.js";
import { localNames, sharedModule } from "../imported.js";
import { stringLiteral } from "../../print/text.js";
import { textNeeds } from "../texts/modules.js";
import { assertFormats } from "../texts/scanned.js";
import { Shapes } from "../validators/shape.js";
import { array, asserts, object, printLiteral, width } from "./literal.js";
import { type Describing, describePart } from "./part.js";

/**
 * `check.ts`: for each definition `checkX`, which says what is wrong with a value that `isX` refuses. The
 * file says what each definition looks like; `issues.ts`, beside the revisions, compares values with that.
 */
export const emitCheck: Emitter<SchemaInput> = (input) => {
  const { imported, folder, origin, importExtension, render } = input;
  const schema = assertFormats(input.schema, input.formats);
  const needs = textNeeds(schema);
  const identifiers = localNames(schema, imported);
  const constants = new Map(
    [...identifiers].map(([name, identifier]) => [name, `${capitalised(identifier)}Shape`]),
  );
  const describing = {
    tags: new Tags(schema),
    open: new Shapes(schema, true),
    constants,
    keepsIdle: speaksOfRest(schema),
  };
  const differing = reachingOpen(schema);
  const definitions = [...schema.definitions.values()].map((definition) => {
    const identifier = capitalised(identifiers.get(definition.name)!);
    const handsOn = readingsOf(differing.has(definition.name), needs.formats || needs.patterns);
    const exported = imported?.identifiers.get(definition.name);
    const validators = exported === undefined ? "validators" : "baseValidators";
    const judged = capitalised(exported ?? identifier);
    return {
      ...viewOf(describing, definition, identifier, differing.has(definition.name)),
      ...{ handsOn, validators, judged },
    };
  });
  const usesShape = definitions.some(({ assertsShape }) => assertsShape);
  const content = render("check.ts", {
    ...{ origin, importExtension, usesShape, definitions },
    modules: {
      issues: sharedModule(input, "issues"),
      ...(imported &&
        imported.identifiers.size > 0 && {
          validators: sharedModule(input, `${imported.folder}/validators`),
        }),
    },
    ...{ needs, usesTexts: needs.formats || needs.patterns },
  });
  return new Map([[`${folder}/check.ts`, laidOutTexts(content)]]);
};

/** Whether some keyword asks what others have not looked at. */
function speaksOfRest(schema: Schema): boolean {
  for (const { node } of schema.definitions.values()) {
    for (const each of descendants(node))
      if (each.unevaluatedProperties ?? each.unevaluatedItems) return true;
  }
  return false;
}

interface DefinitionView {
  /** The function's declaration up to its body. */
  readonly declaration: string;
  readonly constant: string;
  readonly identifier: string;
  /** The open reading differs. */
  readonly differs: boolean;
  /** The definition's name as a string literal. */
  readonly name: string;
  /** The expression that describes it. */
  readonly shape: string;
  /** The literal speaks of the type `Shape`. */
  readonly assertsShape: boolean;
}

function viewOf(
  context: Describing,
  { name, node }: Definition,
  identifier: string,
  differs: boolean,
): DefinitionView {
  const literal = describePart(context, node);
  // A bare reference or `false` is no shape by itself.
  const shape = literal.kind === "object" ? literal : object([["allOf", array([literal])]]);
  return {
    declaration: declarationOf(identifier, ["value: unknown", ...(differs ? ['reading?: "open"'] : [])]),
    constant: context.constants.get(name)!,
    identifier,
    differs,
    name: stringLiteral(name),
    assertsShape: asserts(shape),
    shape: `(${printLiteral(shape, 2, "  shape: () => (".length, "),".length)})`,
  };
}

/** What is handed on beside the value and its definition: which reading is asked for, and matchers of texts. */
function readingsOf(differs: boolean, usesTexts: boolean): string {
  if (usesTexts) return differs ? ", reading, texts" : ", undefined, texts";
  return differs ? ", reading" : "";
}

function declarationOf(identifier: string, parameters: readonly string[]): string {
  const flat = `export function check${identifier}(${parameters.join(", ")}): Issue[] {`;
  if (flat.length <= width) return flat;
  const lines = parameters.map((parameter) => `  ${parameter},\n`);
  return `export function check${identifier}(\n${lines.join("")}): Issue[] {`;
}

const issueModules = ["evaluated", "report", "scalars", "search", "shape", "text", "unions"];

/** The files that all revisions' checks share. */
export const emitIssues: Emitter<WorkspaceInput> = (input) => {
  const names = ["issues", ...issueModules.map((name) => `issues/${name}`)];
  return new Map(
    names.map((name) => [
      input.folder === "" ? `${name}.ts` : `${input.folder}/${name}.ts`,
      { content: copyModule(name, input), formatted: true as const },
    ]),
  );
};
