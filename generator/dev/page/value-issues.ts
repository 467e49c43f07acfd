import {
  Explainer,
  type JsonObject,
  type JsonValue,
  PatternBudget,
  type Schema,
  SchemaError,
  formats,
  readDocument,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import type { Issue } from "../../page/browser/dev/messages.js";

/** Issues that are listed. */
const most = 50;

/** A schema that was read, or the reason why it cannot be. */
type Read = { readonly schema: Schema; readonly explainer: Explainer } | string;

/** Judges values by the schemas of one server, whose patterns share a budget of work. */
export class ValueJudge {
  readonly #budget = new PatternBudget();
  readonly #read = new WeakMap<JsonObject, Read>();

  /**
   * The issues of a value. Formats count, although JSON Schema leaves that open: a user who tries a tool wants to know.
   */
  issues(schema: JsonObject, value: JsonValue): readonly Issue[] {
    const read = this.#schemaOf(schema);
    if (typeof read === "string") return [{ pointer: "", message: `the schema cannot be read: ${read}` }];
    try {
      const node = read.schema.root ?? { pointer: "" };
      return read.explainer
        .issues(node, value, undefined, most)
        .map(({ pointer, expected, got, suggestion }) => {
          const isMeant = suggestion !== undefined && got !== "nothing";
          const advice = isMeant ? `; did you mean ${JSON.stringify(suggestion)}?` : "";
          return { pointer, message: `expected ${expected}, got ${got}${advice}` };
        });
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      return [{ pointer: "", message: `the schema cannot judge: ${error.message}` }];
    }
  }

  #schemaOf(schema: JsonObject): Read {
    let read = this.#read.get(schema);
    if (read === undefined) this.#read.set(schema, (read = readOrReason(schema, this.#budget)));
    return read;
  }
}

function readOrReason(document: JsonObject, patternBudget: PatternBudget): Read {
  try {
    const schema = readDocument(document, { enums: "written", patternBudget });
    const judge = (definition: string, value: unknown): boolean =>
      isValid(schema, schema.definitions.get(definition)!.node, value as JsonValue, { formats: "assertion" });
    return { schema, explainer: new Explainer(schema, { judge, formats }) };
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return error.message;
  }
}
