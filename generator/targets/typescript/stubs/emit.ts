import { type Schema, type SchemaNode, naturalCompare, memberNodes } from "@mcpgen/engine";
import { type Method, type ProtocolModel, type Role, gate, isFinal, opposite } from "../../../model/model.js";
import { requirementOf } from "../../../model/notes-by-method.js";
import { type Emitter, type Files, type ModelInput, isOfExtension, sharedModule } from "../emitter.js";
import { argumentsWithin } from "../../../print/code-layout.js";
import { methodDoc } from "../method-doc.js";
import { capitalised, stringLiteral } from "../../../print/text.js";
import { importTypes, isConstrainedToObjects } from "../types/print.js";
import { nameOperations } from "./operations.js";

/**
 * Emits `client.ts`: a revision for clients, or the additions of an extension, with a function for each
 * message that clients send.
 */
export const emitClient: Emitter<ModelInput> = (input) => emitStubs("client", input);

/** Emits `server.ts`: the same for servers. */
export const emitServer: Emitter<ModelInput> = (input) => emitStubs("server", input);

function emitStubs(role: Role, input: ModelInput): Files {
  const { model, folder, origin, importExtension, render } = input;
  const isExtension = isOfExtension(input);
  const { stubs, modelTypes } = stubsOf(model, role, isExtension ? new Set([`${role}Table`]) : undefined);
  const ofModel = isExtension ? modelTypes : ["HandlersOf", ...modelTypes, "Revision"];
  const ofMethods = [...signatureTypes(model, role), ...(isExtension ? [] : handlerTypes(role))].sort(
    naturalCompare,
  );
  const content = render(`${role}.ts`, {
    ...{ origin, importExtension, role, stubs, isExtension },
    modelImport: importTypes(ofModel, sharedModule(input, "model")),
    methodImport: importTypes(ofMethods, `./methods.${importExtension}`),
    ...(isExtension ? {} : revisionView(role, input)),
  });
  return new Map([[`${folder}/${role}.ts`, { content, formatted: true as const }]]);
}

/** The types of `methods.ts` that stub signatures use. */
function signatureTypes(model: ProtocolModel, role: Role): string[] {
  const sent = sentBy(model, role);
  return [
    ...(sent.some(({ params }) => params.presence !== "none") ? ["Params"] : []),
    ...(sent.some(({ kind }) => kind === "request") ? ["Result"] : []),
  ];
}

/** The types of `methods.ts` that a role's handlers use. */
function handlerTypes(role: Role): string[] {
  const peer = capitalised(opposite(role));
  return ["Notifications", "Requests", `${peer}NotificationMethod`, `${peer}RequestMethod`];
}

/** View data for a role's module besides its stubs. */
function revisionView(role: Role, { model, previous, next, fromVocabulary }: ModelInput): object {
  const other = opposite(role);
  return {
    other,
    peer: capitalised(other),
    revision: model.revision,
    era: model.era,
    next: next?.revision,
    isAbove: fromVocabulary === "newer",
    peerSteps: fromVocabulary === "newer" && previous !== undefined,
    completed: needsCompletion(model, role),
    batches: role === "server" && model.batches,
  };
}

/** Whether the tables of a role have columns that are functions: see `Revision.completed`. */
function needsCompletion({ methods }: ProtocolModel, role: Role): boolean {
  return methods.some((method) => {
    const { kind, result, senders } = method;
    const isReceived = kind === "request" && senders.includes(opposite(role));
    const needed = requirementOf(method) ?? (isReceived ? gate(method, "client") : undefined);
    return (
      (role === "server" && needed?.of === "client") ||
      (senders.includes(role) && result?.alternatives.some(isFinal) === true)
    );
  });
}

/** The messages that a role sends, without payloads, which are not separate messages. */
function sentBy({ methods }: ProtocolModel, role: Role): Method[] {
  return methods.filter((method) => method.senders.includes(role) && !method.payload);
}

/** The stubs of a role's messages, and the types in their signatures (an unused import does not compile). */
export function stubsOf(
  model: ProtocolModel,
  role: Role,
  taken?: ReadonlySet<string>,
  types: TypesOfMethods = byMethod,
): { readonly stubs: readonly Stub[]; readonly modelTypes: readonly string[] } {
  const sent = sentBy(model, role);
  const operations = nameOperations(sent, taken);
  const has = (wanted: Method["kind"]): boolean => sent.some(({ kind }) => kind === wanted);
  return {
    stubs: sent.map((method) => stub(method, operations.get(method.name)!, model.schema, types)),
    modelTypes: [
      ...(has("notification") ? ["Notifier"] : []),
      ...(has("request") ? ["RequestOptions", "Requester"] : []),
    ],
  };
}

/** How to write the types of params and results. */
export interface TypesOfMethods {
  readonly params: (method: Method) => string;
  readonly result: (method: Method) => string;
  /** Whether params may be omitted. */
  readonly isOptional: (method: Method) => boolean;
}

const byMethod: TypesOfMethods = {
  params: ({ name }) => `Params<${stringLiteral(name)}>`,
  result: ({ name }) => `Result<${stringLiteral(name)}>`,
  isOptional: ({ params }) => params.presence === "optional",
};

/** A function that sends a message. */
interface Stub {
  readonly doc: string;
  /** Its name with type parameters. */
  readonly name: string;
  readonly parameters: string;
  readonly result: string;
  /** The method of `Caller` that it calls, with arguments. */
  readonly send: string;
  readonly sent: string;
}

function stub(method: Method, name: string, schema: Schema, types: TypesOfMethods): Stub {
  const { kind, params } = method;
  const parameters = [
    kind === "request" ? "caller: Requester" : "caller: Notifier<Sent>",
    ...(params.presence === "none"
      ? []
      : [`params${types.isOptional(method) ? "?" : ""}: ${types.params(method)}`]),
    ...(kind === "request" ? ["options?: RequestOptions"] : []),
  ];
  const result = kind === "request" ? `Promise<${types.result(method)}>` : "Sent";
  const declared = kind === "request" ? name : `${name}<Sent>`;
  const send = kind === "request" ? "request" : "notify";
  return {
    doc: methodDoc(method),
    name: declared,
    parameters: argumentsWithin(0, `export function ${declared}`, parameters, `: ${result} {`),
    result,
    send,
    sent: argumentsWithin(1, `return caller.${send}`, sentArguments(method, schema), ";"),
  };
}

function sentArguments(method: Method, schema: Schema): string[] {
  const { kind, name, params } = method;
  // A `Caller` sends only objects, but a schema may allow any value.
  const given = isPrintedAsObject(schema, paramsNodes(method, schema))
    ? "params"
    : "params as unknown as object";
  const value = params.presence === "none" ? "undefined" : given;
  if (kind === "request") return [stringLiteral(name), value, "options"];
  return params.presence === "none" ? [stringLiteral(name)] : [stringLiteral(name), value];
}

function paramsNodes({ message, params }: Method, schema: Schema): readonly SchemaNode[] {
  if (params.definition !== undefined) return [schema.definitions.get(params.definition)!.node];
  return memberNodes(schema, schema.definitions.get(message)!.node, "params");
}

/** Whether the printed type is certainly an object type, because one of the nodes (all of which apply) is. */
function isPrintedAsObject(
  schema: Schema,
  nodes: readonly SchemaNode[],
  seen: ReadonlySet<SchemaNode> = new Set(),
): boolean {
  return nodes.some((node) => {
    if (seen.has(node) || node.typeText !== undefined) return false;
    const inside = (parts: readonly SchemaNode[]): boolean =>
      isPrintedAsObject(schema, parts, new Set([...seen, node]));
    const own =
      !node.const &&
      !node.enum &&
      (node.types?.every((type) => type === "object") ?? isConstrainedToObjects(node));
    const target = node.ref === undefined ? [] : [schema.definitions.get(node.ref)!.node];
    return (
      own ||
      inside([...target, ...(node.allOf ?? [])]) ||
      (node.anyOf?.every((arm) => inside([arm])) ?? false)
    );
  });
}
