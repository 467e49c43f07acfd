import { type Method, type ProtocolModel, answersOf } from "../../model/model.js";
import { printAt, unionMember } from "../../print/code-layout.js";
import { methodDoc } from "../method-doc.js";
import { memberKey } from "../../print/text.js";

/** One method in the type maps. */
interface TypeRow {
  readonly doc: string;
  readonly key: string;
  readonly params: string;
  readonly result: string;
}

interface TypeRows {
  readonly requests: readonly TypeRow[];
  readonly notifications: readonly TypeRow[];
  readonly usesTypes: boolean;
}

/** What each method carries and what may answer it, as types. */
export function typeRows(model: ProtocolModel, names: ReadonlyMap<string, string>): TypeRows {
  const rows = (kind: Method["kind"]): TypeRow[] =>
    model.methods
      .filter((method) => method.kind === kind)
      .map((method) => ({
        doc: methodDoc(method, "  "),
        key: memberKey(method.name),
        params: printAt(2, unionMember("params", paramsArms(method, names))),
        result: printAt(2, unionMember("result", resultArms(method, names))),
      }));
  const requests = rows("request");
  const notifications = rows("notification");
  const usesTypes = [...requests, ...notifications].some(({ params, result }) =>
    `${params} ${result}`.includes("types."),
  );
  return { requests, notifications, usesTypes };
}

function paramsArms({ message, params }: Method, names: ReadonlyMap<string, string>): string[] {
  if (params.presence === "none") return ["undefined"];
  // An indexed access already has `undefined` where the member is optional.
  if (params.definition === undefined) return [`types.${names.get(message)!}["params"]`];
  const type = `types.${names.get(params.definition)!}`;
  return params.presence === "optional" ? [type, "undefined"] : [type];
}

function resultArms(method: Method, names: ReadonlyMap<string, string>): string[] {
  const types = answersOf(method).map((name) => `types.${names.get(name)!}`);
  return types.length > 0 ? types : ["unknown"];
}
