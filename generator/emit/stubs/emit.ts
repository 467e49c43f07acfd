import { type Method, type Role, opposite } from "../../model/model.js";
import type { Emitter, Files, ModelInput } from "../emitter.js";
import { callLayout, printAt } from "../code-layout.js";
import { methodDoc } from "../method-doc.js";
import { capitalised } from "../names.js";
import { stringLiteral } from "../text.js";
import { nameOperations } from "./operations.js";

/** `client.ts`: the revision as a client speaks it, and a function for each message that clients send. */
export const emitClient: Emitter<ModelInput> = (input) => emitStubs("client", input);

/** `server.ts`: the same for servers. */
export const emitServer: Emitter<ModelInput> = (input) => emitStubs("server", input);

function emitStubs(role: Role, { model, folder, origin, importExtension, render }: ModelInput): Files {
  const other = opposite(role);
  // A payload is no message of its own, so there is nothing to send.
  const sent = model.methods.filter((method) => method.senders.includes(role) && !method.payload);
  const operations = nameOperations(sent);
  const content = render(`${role}.ts`, {
    origin,
    importExtension,
    role,
    other,
    peer: capitalised(other),
    revision: model.revision,
    era: model.era,
    modelTypes: modelTypes(sent),
    stubs: sent.map((method) => stub(method, operations.get(method.name)!)),
  });
  return new Map([[`${folder}/${role}.ts`, { content, formatted: true as const }]]);
}

/** The types of the stubs' signatures; an unused import would not compile. */
function modelTypes(sent: readonly Method[]): string {
  const types = [
    ...(sent.length > 0 ? ["Caller"] : []),
    ...(sent.some(({ kind }) => kind === "request") ? ["RequestOptions"] : []),
    "Revision",
  ];
  return `{ ${types.join(", ")} }`;
}

function stub(method: Method, operation: string): { doc: string; signature: string; body: string } {
  const { kind, params } = method;
  const name = stringLiteral(method.name);
  const parameters = [
    "caller: Caller",
    ...(params.presence === "none"
      ? []
      : [`params${params.presence === "optional" ? "?" : ""}: Params<${name}>`]),
    ...(kind === "request" ? ["options?: RequestOptions"] : []),
  ];
  const promised = kind === "request" ? `Result<${name}>` : "void";
  return {
    doc: methodDoc(method),
    signature: printAt(0, callLayout(`export function ${operation}`, parameters, `: Promise<${promised}> {`)),
    body: printAt(
      1,
      callLayout(`return caller.${kind === "request" ? "request" : "notify"}`, sentArguments(method), ";"),
    ),
  };
}

function sentArguments({ kind, name, params }: Method): string[] {
  const value = params.presence === "none" ? "undefined" : "params";
  if (kind === "request") return [stringLiteral(name), value, "options"];
  return params.presence === "none" ? [stringLiteral(name)] : [stringLiteral(name), value];
}
