import type { Definition } from "@mcpgen/engine";
import { type Method, type ProtocolModel, type Role, opposite, inWords } from "../../../model/model.js";
import { arrayLayout, memberLine, objectLayout, printAt, unionType } from "../../../print/code-layout.js";
import {
  type Emitter,
  type ExtensionInput,
  type ModelInput,
  type Imported,
  isOfExtension,
  localNames,
  ownDefinitions,
  sharedModule,
} from "../emitter.js";
import { addedColumns, addedResults } from "../extension/columns.js";
import { capitalised, memberKey, stringLiteral } from "../../../print/text.js";
import type { Layout } from "../../../print/layout.js";
import { extensionSteps } from "../steps/emit.js";
import { Facts, type TableEntry } from "./facts.js";
import { typeRows } from "./type-rows.js";

const roles: readonly Role[] = ["client", "server"];

/**
 * Emits `methods.ts`: the dispatch tables of both roles as data, and the types of params and results by
 * method. For an extension, the tables contain its additions to the base.
 */
export const emitMethods: Emitter<ModelInput> = (input) => {
  const { folder, origin, importExtension, words, imported } = input;
  const model = { ...input.model, methods: input.model.methods.map((method) => inWords(method, words)) };
  const names = localNames(model.schema, imported);
  const facts = new Facts(model, names, imported);
  const errors = errorRows(model);
  const base64 = base64Members(ownDefinitions(model.schema, imported), facts);
  const tables = roles.map((role) => tableOf(model, role, facts));
  const content = renderUsing(input, "methods.ts", {
    ...{ origin, importExtension, errors },
    ...typeRows(model, typeNames(names, imported)),
    modules: modulesOf(input),
    methodTypes: roles.flatMap((role) => methodTypes(model, role)),
    tables,
    base64: memberLine(1, "base64", arrayLayout(base64, true)),
    ...(isOfExtension(input)
      ? extensionView(input, facts, { errors, tables })
      : {
          isExtension: false,
          common: [facts.standardHeaders(), "errors,", ...flags(model).map((flag) => `${flag}: true,`)],
        }),
  });
  return new Map([[`${folder}/methods.ts`, { content, formatted: true }]]);
};

/**
 * View data for the tables of an extension. The tables of a revision are in its role modules, which also
 * import its steps.
 */
function extensionView(
  input: ExtensionInput,
  facts: Facts,
  { errors, tables }: { readonly errors: readonly string[]; readonly tables: readonly TableView[] },
): object {
  const { model, previous, next, fromVocabulary, importExtension } = input;
  const lowers = fromVocabulary === "older" && next && extensionSteps(model, next);
  const lifts = fromVocabulary === "newer" && previous && extensionSteps(previous, model);
  return {
    isExtension: true,
    base: model.revision,
    choosesSends: fromVocabulary !== "newer",
    common: addedColumns(model, facts, errors),
    tables: tables.map((table) => ({
      ...table,
      results: [...table.results, ...addedResults(model, table.role, facts)],
    })),
    steps: lowers
      ? [`import { clientSteps, serverSteps } from "../${next.revision}/steps.${importExtension}";`]
      : [],
    peerSteps: lifts
      ? [
          "import {",
          "  clientSteps as serverPeerSteps,",
          "  serverSteps as clientPeerSteps,",
          `} from "./steps.${importExtension}";`,
        ]
      : [],
  };
}

/** The modules that a file of tables imports. */
export function modulesOf(input: ModelInput): { readonly [module: string]: string } {
  const { revision } = input.model;
  return {
    model: sharedModule(input, "model"),
    sending: sharedModule(input, "sending"),
    types: sharedModule(input, `${revision}/types`),
    validators: sharedModule(input, `${revision}/validators`),
  };
}

/** Definition → its type expression, qualified by the module that exports it. */
export function typeNames(
  names: ReadonlyMap<string, string>,
  imported: Imported | undefined,
): (definition: string) => string {
  return (definition) => {
    const exported = imported?.identifiers.get(definition);
    return exported === undefined ? `types.${names.get(definition)!}` : `baseTypes.${exported}`;
  };
}

/** Renders a file and imports only the modules that its code refers to: an unused import does not compile. */
export function renderUsing({ render }: Pick<ModelInput, "render">, template: string, view: object): string {
  const draft = render(template, view);
  const uses = (module: string): boolean => new RegExp(`\\b${module}\\.\\w`).test(draft);
  return render(template, {
    ...view,
    usesTypes: uses("types"),
    usesBaseTypes: uses("baseTypes"),
    usesValidators: uses("validators"),
    usesBaseValidators: uses("baseValidators"),
  });
}

/** Columns with boolean facts, present only if true. */
function flags({ batches, transport }: ProtocolModel): readonly string[] {
  return batches ? ["batches", ...transport] : transport;
}

/** The types of all method names that a side sends, as messages or inside messages. */
function methodTypes(model: ProtocolModel, role: Role): { about: string; declaration: string }[] {
  return (["request", "notification"] as const).map((kind) => {
    const methods = model.methods.filter((method) => method.kind === kind && method.senders.includes(role));
    const names = methods.map(({ name }) => stringLiteral(name));
    return {
      about: `Methods of the ${kind}s that a ${role} sends.`,
      declaration: printAt(0, unionType(`${capitalised(role)}${capitalised(kind)}Method`, names)),
    };
  });
}

function errorRows(model: ProtocolModel): string[] {
  return model.errors.map(({ code, name, http }) => {
    const status = http === undefined ? [] : [["http", String(http)] as const];
    return memberLine(1, memberKey(name), objectLayout([["code", String(code)], ...status]));
  });
}

/** The rows of the tables by method. */
interface TableView {
  readonly role: Role;
  readonly incomingRequests: readonly string[];
  readonly incomingNotifications: readonly string[];
  readonly outgoingRequests: readonly string[];
  readonly outgoingNotifications: readonly string[];
  readonly requests: readonly string[];
  readonly notifications: readonly string[];
  readonly results: readonly string[];
}

export function tableOf(model: ProtocolModel, role: Role, facts: Facts): TableView {
  const peer = opposite(role);
  const sentBy = (sender: Role, kind: Method["kind"]): Method[] =>
    model.methods.filter((method) => method.kind === kind && method.senders.includes(sender));
  const incoming = (type: string, method: Method): string =>
    row(type, method, [facts.accepts(method.message), ...facts.common(method, peer)]);
  const exact = (method: Method): string => row("ExactDefinition", method, facts.named(method.message));
  return {
    role,
    incomingRequests: sentBy(peer, "request").map((method) => incoming("IncomingRequest", method)),
    incomingNotifications: sentBy(peer, "notification").map((method) =>
      incoming("IncomingNotification", method),
    ),
    outgoingRequests: sentBy(role, "request").map((method) =>
      row("OutgoingRequest", method, [...facts.common(method, role), ...facts.answers(method)]),
    ),
    outgoingNotifications: sentBy(role, "notification").map((method) =>
      row("OutgoingNotification", method, facts.common(method, role)),
    ),
    requests: sentBy(role, "request").map(exact),
    notifications: sentBy(role, "notification").map(exact),
    results: sentBy(peer, "request").flatMap((method) => resultRow(method, facts)),
  };
}

/**
 * @param type type of the row, which TypeScript needs if the method is named like a member of every object
 */
function row(type: string, { name }: Method, members: readonly TableEntry[]): string {
  const satisfies = name in Object.prototype ? ` satisfies ${type}` : "";
  return printAt(2, [memberKey(name), ": ", objectLayout(members), satisfies, ","]);
}

/** A row with the exact definitions of a method's results, the plain one first. */
function resultRow(method: Method, facts: Facts): string[] {
  const answers = facts.exactAnswers(method);
  return answers.length === 0 ? [] : [memberLine(2, memberKey(method.name), arrayLayout(answers, true))];
}

/** The members of definitions that have the format `byte`. */
export function base64Members(definitions: Iterable<Definition>, facts: Facts): Layout[] {
  return [...definitions].flatMap(({ name, node }) =>
    [...(node.properties ?? [])]
      .filter(([, { format }]) => format === "byte")
      .map(([member]) => objectLayout([...facts.named(name), ["member", stringLiteral(member)]])),
  );
}
