import { type JsonObject, type JsonValue } from "@mcpgen/engine";
import type { Files, Surroundings } from "../../../../generator/targets/typescript/emitter.js";
import { loadTemplates } from "../../../../generator/print/templates.js";
import type { ProtocolModel } from "../../../../generator/model/model.js";
import { type NoteText, modelOf } from "../../../support/models.js";
import { expect } from "vitest";
import { loaded, modelEmitters, schemaEmitters, workspaceEmitters } from "../emitted-output.js";
import { type Outcome, type PairSteps, type StepTable, deepFrozen, outcomeOf } from "./protocol.js";

const render = loadTemplates();
const files = { importExtension: "js", render } as const;

/** A protocol in which `test/do` from the client is answered by this result. */
export function answering(
  revision: string,
  result: JsonValue,
  more: JsonObject = {},
  notes: readonly NoteText[] = [],
): ProtocolModel {
  const method = { type: "string", const: "test/do" };
  const definitions: { [name: string]: JsonValue } = {
    DoRequest: { type: "object", properties: { method }, required: ["method"] },
    DoResult: result,
    ClientRequest: { anyOf: [{ $ref: "#/$defs/DoRequest" }] },
    ServerResult: { anyOf: [{ $ref: "#/$defs/DoResult" }] },
    ...more,
  };
  return { ...modelOf(definitions, notes), revision };
}

const validators = new WeakMap<ProtocolModel, Files>();

function validatorsOf(model: ProtocolModel, surroundings: Surroundings): Files {
  let output = validators.get(model);
  if (!output)
    validators.set(
      model,
      (output = schemaEmitters["validators"]!({ ...surroundings, schema: model.schema })),
    );
  return output;
}

/** The files of steps between revisions, oldest first, and the modules that they import. */
export function stepFiles(...models: readonly ProtocolModel[]): Map<string, string> {
  const outputs = models.flatMap((model, index) => {
    const previous = models[index - 1];
    const surroundings: Surroundings = {
      ...files,
      folder: model.revision,
      origin: `schema/${model.revision}`,
    };
    const steps = modelEmitters["steps"]!({ ...surroundings, model, ...(previous && { previous }) });
    return [validatorsOf(model, surroundings), steps];
  });
  const shared = workspaceEmitters["stepping"]!({ ...files, folder: "", origin: "schema", models });
  return new Map(
    [...outputs, shared].flatMap((output) =>
      [...output].map(([path, { content }]) => [path, content] as const),
    ),
  );
}

/** The steps between two revisions. */
export function stepsBetween(older: ProtocolModel, newer: ProtocolModel): Promise<PairSteps> {
  const names = "export { clientSteps, serverSteps }";
  return loaded(stepFiles(older, newer), `${names} from "./${newer.revision}/steps.js";`);
}

/** @param request params of the request that the result answers */
type Run = (value: object, request?: object) => Outcome;

/** The steps for results of `test/do` between two revisions with these results. */
export async function between(
  old: JsonValue,
  next: JsonValue,
  notes: readonly NoteText[] = [],
  more: { old?: JsonObject; next?: JsonObject; oldNotes?: readonly NoteText[] } = {},
): Promise<{ lower: Run; lift: Run }> {
  const { serverSteps, clientSteps } = await stepsBetween(
    answering("r1", old, more.old, more.oldNotes),
    answering("r2", next, more.next, notes),
  );
  const run =
    (table: StepTable) =>
    (value: object, request?: object): Outcome =>
      outcomeOf(table.get("test/do") ?? ((same) => same), value, request);
  return { lower: run(serverSteps.outgoingResults), lift: run(clientSteps.incomingResults) };
}

/** Expects that a step returns the value itself, which is frozen, and reports nothing. */
export function expectSame(step: Run, value: object): void {
  const frozen = deepFrozen(value);
  const outcome = step(frozen);
  expect(outcome, JSON.stringify(outcome)).toEqual({ value: frozen, losses: [] });
  expect("value" in outcome && outcome.value).toBe(frozen);
}
