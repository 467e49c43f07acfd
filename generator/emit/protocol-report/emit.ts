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
} from "../../model/model.js";
import type { Emitter, ModelInput } from "../emitter.js";
import { definitionLines } from "./lines.js";
import { codeSpan } from "../../print/markdown.js";

/** `PROTOCOL.md`: the protocol as lines to be compared between revisions. */
export const emitProtocolReport: Emitter<ModelInput> = ({ model, folder, origin, render }) => {
  const content = render("PROTOCOL.md", {
    origin,
    revision: model.revision,
    status: model.status,
    era: model.era,
    methods: model.methods.map(methodLine),
    errors: model.errors.map(errorLine),
    http: [...model.headers.map(headerLine), ...model.transport.map((fact) => transportLines[fact])],
    definitions: [...model.schema.definitions.values()].map((definition) => ({
      heading: heading(definition),
      lines: definitionLines(definition),
    })),
  });
  // Its lines are its form: prettier would only wrap and escape them.
  return new Map([[`${folder}/PROTOCOL.md`, { content, formatted: true }]]);
};

/** One line about a method. */
export function methodLine(method: Method): string {
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

/** What a side must have declared before a method may be used. */
export function requirementText({ of, path, error }: Requirement): string {
  return `requires ${of} capability ${codeSpan(path)}, else ${codeSpan(error)}`;
}

/** How a list says that it leaves entries out. */
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

export function errorLine({ code, name, http, definition }: ErrorCode): string {
  const facts = [
    `${codeSpan(String(code))}: ${codeSpan(name)}`,
    http === undefined ? undefined : `HTTP ${http}`,
    definition === undefined ? undefined : codeSpan(definition),
  ];
  return facts.filter((fact) => fact !== undefined).join(", ");
}

export function headerLine({ header, method, from }: HeaderRule): string {
  const where = method === "*" ? "every request" : codeSpan(method);
  return `${codeSpan(header)}: ${where}, ${from === null ? "the negotiated revision" : codeSpan(from)}`;
}

const transportLines: { readonly [F in TransportFact]: string } = {
  assumed: "a request without the header of the revision: this revision",
  priming: "first event of a stream: an id and no data",
};

export function heading({ name, extends: bases = [], node }: Definition): string {
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
