import { type Channel, modelOfRole } from "../../../model/extension-model.js";
import type { Method, ProtocolModel } from "../../../model/model.js";
import { arrayLayout, laidOutTexts, memberLine, objectLayout, printAt } from "../../../print/code-layout.js";
import { group, indent, join, line, softline } from "../../../print/layout.js";
import { capitalised, stringLiteral } from "../../../print/text.js";
import { type Emitter, type ExtensionInput, type Files, localNames, ownDefinitions } from "../emitter.js";
import { base64Members, modulesOf, renderUsing, tableOf, typeNames } from "../methods/emit.js";
import { Facts } from "../methods/facts.js";
import { typeRows } from "../methods/type-rows.js";
import { stubsOf } from "../stubs/emit.js";

/**
 * Emits a module for each role of a channel: its table, the types of its messages, and a function for each
 * message that it sends.
 */
export const emitChannel: Emitter<ExtensionInput> = (input) => {
  const { channel } = input.model;
  if (!channel) return new Map();
  return new Map(channel.roles.flatMap((role) => [...emitRole(channel, role, input)]));
};

function emitRole(channel: Channel, role: string, input: ExtensionInput): Files {
  const { model, imported, folder, origin, importExtension } = input;
  const own = modelOfRole(model, channel, role);
  const names = localNames(model.schema, imported);
  const facts = new Facts(own, names, imported);
  const table = tableOf(own, "client", facts);
  const modules = ["types", "baseTypes", "validators", "baseValidators"];
  const taken = new Set([...modules, `${role}Table`, `${role}Sends`, "sendTable", "byMethod", "process"]);
  const { stubs, modelTypes } = stubsOf(own, "client", taken);
  const view = {
    ...{ origin, importExtension, role, table, stubs },
    Role: capitalised(role),
    modules: modulesOf(input),
    id: stringLiteral(model.id),
    version: stringLiteral(model.version),
    baseId: stringLiteral(model.revision),
    modelTypes: [...tableTypes, ...modelTypes].sort(),
    maps: mapsOf(own, role, typeNames(names, imported)),
    handlers: handlersType(capitalised(role)),
    usesParams: stubs.some(({ parameters }) => parameters.includes("Params<")),
    usesResult: stubs.some(({ send }) => send === "request"),
    handshake: handshakeLine(channel, role),
    base64: memberLine(
      1,
      "base64",
      arrayLayout(base64Members(ownDefinitions(model.schema, imported), facts), true),
    ),
  };
  const content = renderUsing(input, "extension-channel.ts", view);
  return new Map([[`${folder}/${role}.ts`, laidOutTexts(content)]]);
}

/** The type of the handlers of a role. */
function handlersType(role: string): string {
  const args = join([",", line], [`${role}Messages`, "Context"]);
  const head = `export type ${role}Handlers<Context = unknown> = ChannelHandlers<`;
  return printAt(0, group(head, indent(softline, args), softline, ">;"));
}

/** The types that every module of a role imports. */
const tableTypes = [
  ...["ChannelHandlers", "ChannelTable", "ExactAnswer", "ExactDefinition", "IncomingNotification"],
  ...["IncomingRequest", "OutgoingNotification", "OutgoingRequest", "SendTable"],
];

interface MapView {
  readonly name: string;
  readonly about: string;
  readonly rows: readonly object[];
}

function mapsOf(model: ProtocolModel, role: string, typeOf: (definition: string) => string): MapView[] {
  const rows = (sender: Method["senders"][number], kind: Method["kind"]): readonly object[] => {
    const methods = model.methods.filter((method) => method.kind === kind && method.senders.includes(sender));
    const { requests, notifications } = typeRows({ ...model, methods }, typeOf);
    return kind === "request" ? requests : notifications;
  };
  return [
    {
      name: "IncomingRequests",
      about: `Requests that a ${role} receives, with their results.`,
      rows: rows("server", "request"),
    },
    {
      name: "IncomingNotifications",
      about: `Notifications that a ${role} receives.`,
      rows: rows("server", "notification"),
    },
    {
      name: "OutgoingRequests",
      about: `Requests that a ${role} sends, with their results.`,
      rows: rows("client", "request"),
    },
    {
      name: "OutgoingNotifications",
      about: `Notifications that a ${role} sends.`,
      rows: rows("client", "notification"),
    },
  ];
}

/** The line for the messages that open the channel, if the role takes part in that. */
function handshakeLine({ handshake, messages }: Channel, role: string): string | undefined {
  const { request, confirmation } = handshake;
  const opening = messages.find(
    ({ method, sender, receiver }) => method.name === request && (sender === role || receiver === role),
  );
  if (!opening) return undefined;
  return memberLine(
    1,
    "handshake",
    objectLayout([
      ["opens", String(opening.sender === role)],
      ["request", stringLiteral(request)],
      ...(confirmation === undefined ? [] : [["confirmation", stringLiteral(confirmation)] as const]),
    ]),
  );
}
