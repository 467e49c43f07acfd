import type { Definition } from "@mcpgen/engine";
import type {
  Capability,
  ErrorCode,
  HeaderRule,
  Method,
  PartialList,
  Requirement,
  ResultOf,
  TransportFact,
} from "../../../model/model.js";
import type { Augmented, ExtensionModel, MemberRule } from "../../../model/extension-model.js";
import {
  type Emitter,
  type ExtensionInput,
  type Files,
  type ModelInput,
  ownDefinitions,
} from "../emitter.js";
import { definitionLines } from "./lines.js";
import { codeSpan } from "../../../print/markdown.js";

/** Emits `PROTOCOL.md`: the protocol as lines of text, for a diff between revisions. */
export const emitProtocolReport: Emitter<ModelInput> = (input) =>
  reportFile("PROTOCOL.md", input, {
    revision: input.model.revision,
    http: [
      ...input.model.headers.map(headerLine),
      ...input.model.transport.map((fact) => transportLines[fact]),
    ],
  });

/** Emits `EXTENSION.md`: the additions of an extension to a base, in the same form. */
export const emitExtensionReport: Emitter<ExtensionInput> = (input) => {
  const { model } = input;
  return reportFile("EXTENSION.md", input, {
    id: model.id,
    base: model.revision,
    version: model.version,
    declared: declaredLines(model),
    added: [...model.augments.map(augmentedLine), ...model.members.map(memberText)],
    channel: channelLines(model),
  });
};

/** @param own view data for only one of the two files */
function reportFile(
  name: string,
  { model, imported, folder, origin, render }: ModelInput,
  own: object,
): Files {
  const content = render(name, {
    origin,
    status: model.status,
    era: model.era,
    methods: model.methods.map(methodLine),
    errors: model.errors.map(errorLine),
    http: model.headers.map(headerLine),
    definitions: ownDefinitions(model.schema, imported).map((definition) => ({
      heading: heading(definition),
      lines: definitionLines(definition),
    })),
    ...own,
  });
  // Prettier would only wrap and escape the lines.
  return new Map([[`${folder}/${name}`, { content, formatted: true }]]);
}

/** One line about a method. */
function methodLine(method: Method): string {
  const { name, kind, senders, payload, message, params, result, capabilities, deprecated } = method;
  const facts = [
    `${codeSpan(name)}: ${payload ? "embedded " : ""}${kind} from ${senders.join(" and ")}, ${codeSpan(message)}`,
    params.definition === undefined ? undefined : `params ${codeSpan(params.definition)}`,
    params.presence === "optional" ? "params optional" : params.presence === "none" ? "no params" : undefined,
    result && resultText(result),
    ...capabilities.map(needText),
    method.requires && requirementText(method.requires),
    method.page && `pages of ${codeSpan(method.page.member)}`,
    method.page?.partial && partialText(method.page.partial),
    method.cacheable ? "cacheable" : undefined,
    method.multiRoundTrip ? "may ask for input" : undefined,
    method.listening ? "answered when its stream ends" : undefined,
    method.filter === undefined ? undefined : `selected by ${codeSpan(method.filter)}${keyText(method)}`,
    method.invalidates && `drops cached ${method.invalidates.map(codeSpan).join(" and ")}`,
    deprecated && (deprecated.since === undefined ? "deprecated" : `deprecated since ${deprecated.since}`),
  ];
  return facts.filter((fact) => fact !== undefined).join(", ");
}

/** The capability that a side must have declared before a method may be used. */
function requirementText({ of, path, error }: Requirement): string {
  return `requires ${of} capability ${codeSpan(path)}, else ${codeSpan(error)}`;
}

/** How a result marks its list as incomplete. */
function partialText({ member, means, reference, get }: PartialList): string {
  const value = means === undefined ? "is there" : `is ${codeSpan(JSON.stringify(means))}`;
  const items = reference === undefined ? "" : `, with ${codeSpan(reference.definition)} for entries`;
  const request = get === undefined ? "" : `, each by ${codeSpan(get.method)}`;
  return `incomplete where ${codeSpan(member)} ${value}${items}${request}`;
}

function keyText({ filterKey }: Method): string {
  return filterKey === undefined ? "" : ` with its ${codeSpan(filterKey)}`;
}

function resultText({ definition, alternatives }: ResultOf): string {
  const others = alternatives.map((arm) => {
    const { key, value } = arm.discriminator ?? {};
    const mark =
      key === undefined
        ? ""
        : value === undefined
          ? ` with ${codeSpan(key)}`
          : ` where ${codeSpan(key)} = ${codeSpan(value)}`;
    const needs = arm.capability === undefined ? "" : ` given capability ${codeSpan(arm.capability)}`;
    return ` or ${codeSpan(arm.definition)}${mark}${needs}`;
  });
  return `result ${definition === undefined ? "unknown" : codeSpan(definition)}${others.join("")}`;
}

function errorLine({ code, name, http, definition }: ErrorCode): string {
  const facts = [
    `${codeSpan(String(code))}: ${codeSpan(name)}`,
    http === undefined ? undefined : `HTTP ${http}`,
    definition === undefined ? undefined : codeSpan(definition),
  ];
  return facts.filter((fact) => fact !== undefined).join(", ");
}

function headerLine({ header, method, from }: HeaderRule): string {
  const where = method === "*" ? "every request" : codeSpan(method);
  return `${codeSpan(header)}: ${where}, ${from === null ? "the negotiated revision" : codeSpan(from)}`;
}

const transportLines: { readonly [F in TransportFact]: string } = {
  assumed: "a request without the header of the revision: this revision",
  priming: "first event of a stream: an id and no data",
};

function heading({ name, extends: bases = [], node }: Definition): string {
  const facts = [
    codeSpan(name),
    ...(bases.length > 0 ? [`extends ${bases.map(codeSpan).join(", ")}`] : []),
    ...(node.deprecated ? ["(deprecated)"] : []),
  ];
  return facts.join(" ");
}

function needText({ of, path, parts }: Capability): string {
  const need = `needs ${of} capability ${codeSpan(path)}`;
  return parts
    ? `${need} (parts of it ${parts.map((part) => codeSpan(`${path}/${part}`)).join(", ")})`
    : need;
}

function channelLines({ channel }: ExtensionModel): string[] {
  if (!channel) return [];
  const { request, confirmation } = channel.handshake;
  const confirmed = confirmation === undefined ? "" : `, confirmed by ${codeSpan(confirmation)}`;
  return [
    `opened by ${codeSpan(request)}${confirmed}`,
    ...channel.messages.map(({ method, sender, receiver }) => {
      const result = method.result?.definition;
      const answer = result === undefined ? "" : `, answered by ${codeSpan(result)}`;
      return `${codeSpan(method.name)}: ${method.kind}, ${sender} to ${receiver}, ${codeSpan(method.message)}${answer}`;
    }),
  ];
}

function declaredLines({ declared }: ExtensionModel): string[] {
  return (["client", "server"] as const).map((role) => {
    const place = declared[role];
    if (!place) return `the ${role}: nothing`;
    const settings = place.settings === undefined ? "" : `, ${codeSpan(place.settings)}`;
    return `the ${role}: ${codeSpan(place.path)}${settings}`;
  });
}

function augmentedLine({ method, result, requires }: Augmented): string {
  const { key, value } = result.discriminator ?? {};
  const mark =
    key === undefined ? "" : ` with ${codeSpan(key)}${value === undefined ? "" : ` ${codeSpan(value)}`}`;
  const needs = requires ? `, ${requirementText(requires)}` : "";
  return `${codeSpan(method.name)}: result ${codeSpan(result.definition)}${mark}${needs}`;
}

function memberText({ of, path, definition, required }: MemberRule): string {
  return `${codeSpan(of)}: ${codeSpan(path)}${required ? "" : "?"}, ${codeSpan(definition)}`;
}
