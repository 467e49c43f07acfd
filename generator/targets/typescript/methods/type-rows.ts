import { type Method, type ProtocolModel, answersOf } from "../../../model/model.js";
import { printAt, typeMembers, unionMember } from "../../../print/code-layout.js";
import { methodSummary } from "../method-doc.js";
import { memberKey } from "../../../print/text.js";

/** One method in the type maps. */
interface TypeRow {
  readonly doc: string;
  readonly line: string;
}

interface TypeRows {
  readonly requests: readonly TypeRow[];
  readonly notifications: readonly TypeRow[];
}

/**
 * The types of the params and results of each method.
 *
 * @param typeOf prints the type of a definition
 */
export function typeRows(model: ProtocolModel, typeOf: (definition: string) => string): TypeRows {
  const rows = (kind: Method["kind"]): TypeRow[] =>
    model.methods
      .filter((method) => method.kind === kind)
      .map((method) => ({
        doc: methodSummary(method, "  "),
        line: printAt(1, [
          memberKey(method.name),
          ": ",
          typeMembers([
            unionMember("params", paramsArms(method, typeOf)),
            ...(kind === "request" ? [unionMember("result", resultArms(method, typeOf))] : []),
          ]),
          ";",
        ]),
      }));
  return { requests: rows("request"), notifications: rows("notification") };
}

function paramsArms({ message, params }: Method, typeOf: (definition: string) => string): string[] {
  if (params.presence === "none") return ["undefined"];
  // An indexed access already has `undefined` where the member is optional.
  if (params.definition === undefined) return [`${typeOf(message)}["params"]`];
  const type = typeOf(params.definition);
  return params.presence === "optional" ? [type, "undefined"] : [type];
}

function resultArms(method: Method, typeOf: (definition: string) => string): string[] {
  const types = answersOf(method).map(typeOf);
  return types.length > 0 ? types : ["unknown"];
}
