import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import type { Vector } from "../../targets/typescript/vectors/emit.js";
import {
  type Capability,
  type Method,
  type PartialList,
  type ProtocolModel,
  answersOf,
} from "../../model/model.js";
import { anchor } from "../html.js";
import type { Badge, Entry, Fact, Part, Span } from "../reading.js";
import { type LinkOf, membersOf, reference } from "../schema-members.js";
import { type Lineage, historyBadges } from "./since.js";
import { stringLiteral } from "../../print/text.js";

/** The inputs for entries of methods. */
export interface MethodSources {
  readonly model: ProtocolModel;
  readonly vectors: readonly Vector[];
  readonly linkOf: LinkOf;
  readonly lineage: Lineage | undefined;
}

/** The id of a method's entry; both directions of a method share it. */
export function methodAnchor(name: string): string {
  return anchor("method", name);
}

export function methodEntry(method: Method, sources: MethodSources): Entry {
  const { name, description, deprecated } = method;
  return {
    id: methodAnchor(name),
    name,
    badges: badgesOf(method, sources),
    ...(description !== undefined && { description }),
    facts: factsOf(method, sources),
    ...(deprecated?.instead !== undefined && {
      remarks: [{ kind: "warning" as const, text: deprecated.instead }],
    }),
    parts: [...shapes(method, sources), ...snippets(method, sources), ...examples(method, sources)],
  };
}

function badgesOf({ name, senders, deprecated, ...method }: Method, { lineage }: MethodSources): Badge[] {
  return [
    ...historyBadges(lineage?.method(name, senders[0]!), deprecated),
    ...(method.cacheable ? [{ text: "cacheable" }] : []),
    ...(method.multiRoundTrip ? [{ text: "may ask for input" }] : []),
  ];
}

function factsOf(method: Method, { linkOf }: MethodSources): Fact[] {
  const { senders, message, params, result, capabilities, requires, page, see } = method;
  const { listening, filter, invalidates } = method;
  const type = (definition: string): Span => reference(definition, linkOf);
  const facts: (Fact | undefined)[] = [
    { name: "Sent by", value: [senders.join(" and ")] },
    { name: "Message", value: [type(message)] },
    params.definition === undefined
      ? { name: "Params", value: [params.presence === "none" ? "none" : params.presence] }
      : {
          name: "Params",
          value: [type(params.definition), params.presence === "optional" ? ", optional" : ""],
        },
    result && {
      name: "Result",
      value: answersOf(method).flatMap((definition, index): Span[] => {
        const condition = result.alternatives.find((arm) => arm.definition === definition);
        const mark = condition?.discriminator;
        return [
          ...(index > 0 ? [" or "] : []),
          type(definition),
          ...(mark
            ? [
                ", marked by ",
                { code: mark.value === undefined ? mark.key : `${mark.key}: ${JSON.stringify(mark.value)}` },
              ]
            : []),
        ];
      }),
    },
    ...capabilities.map((capability) => ({ name: "Capability", value: capabilityText(capability) })),
    requires && {
      name: "Requires",
      value: [`of the ${requires.of} `, { code: requires.path }, ", else ", { code: requires.error }],
    },
    page && { name: "Pages of", value: [{ code: page.member }, " of ", type(page.item)] },
    page?.partial && { name: "May leave entries out", value: partialSpans(page.partial, type) },
    listening ? { name: "Answered", value: ["when its stream ends"] } : undefined,
    filter === undefined ? undefined : { name: "Selected by", value: [{ code: filter }] },
    invalidates && {
      name: "Drops cached",
      value: invalidates.flatMap((name, index): Span[] => [...(index > 0 ? [", "] : []), { code: name }]),
    },
    see === undefined ? undefined : { name: "Specification", value: [specificationLink(see)] },
  ];
  return facts.filter((fact) => fact !== undefined);
}

/** Describes how a result marks its list as incomplete. */
function partialSpans(
  { member, means, reference: item, get }: PartialList,
  type: (definition: string) => Span,
): Span[] {
  const condition = means === undefined ? member : `${member}: ${JSON.stringify(means)}`;
  return [
    "where ",
    { code: condition },
    ...(item ? [", with ", type(item.definition), " for entries"] : []),
    ...(get ? [", each by ", { code: get.method }] : []),
  ];
}

/** A link to the specification, labelled without the common part of its URL. */
function specificationLink(href: string): Span {
  return { href, label: href.replace(/^https:\/\/[^/]+\/specification\/[^/]+\//, "") };
}

function capabilityText({ of, path, parts }: Capability): Span[] {
  const more = parts?.flatMap((part): Span[] => [", ", { code: `${path}/${part}` }]) ?? [];
  return [`of the ${of} `, { code: path }, ...(more.length > 0 ? [" with parts", ...more] : [])];
}

/** The members of params and of the plain result. */
function shapes({ params, result }: Method, { model, linkOf }: MethodSources): Part[] {
  return (
    [
      ["Params", params.definition],
      ["Result", result?.definition],
    ] as const
  ).flatMap(([title, definition]): Part[] => {
    const node = definition === undefined ? undefined : model.schema.definitions.get(definition)?.node;
    const members = node ? membersOf(node, linkOf) : [];
    return members.length === 0 ? [] : [{ title, open: title === "Params", kind: "members", members }];
  });
}

/** Examples from the test vectors: a message, its result, and a rejected message. */
function examples({ name, kind }: Method, { vectors }: MethodSources): Part[] {
  const messages = vectors.filter(({ method }) => method === name);
  const valid = messages.find((each) => each.valid);
  const invalid = messages.find((each) => !each.valid);
  const result = vectors.find((each) => each.valid && each.answers?.includes(name));
  return [
    ...(valid
      ? [{ title: `Example of the ${kind}`, open: true, kind: "json" as const, value: valid.message }]
      : []),
    ...(result ? [{ title: "Example of the result", kind: "json" as const, value: result.message }] : []),
    ...(invalid
      ? [
          {
            title: `Refused: ${invalid.why} at ${invalid.pointer || "the root"}`,
            kind: "json" as const,
            value: invalid.message,
          },
        ]
      : []),
  ];
}

function snippets(method: Method, { vectors }: MethodSources): Part[] {
  if (method.payload) return [];
  const smallest = vectors.find((each) => each.valid && each.method === method.name)?.message;
  const params = isJsonObject(smallest) ? smallest["params"] : undefined;
  const text = snippetOf(method, isJsonObject(params) ? params : undefined);
  return text === undefined
    ? []
    : [{ title: "Code of a client", open: true, kind: "code", language: "ts", text }];
}

/**
 * Example code of a client that sends, answers or receives a method. The client sets `_meta` itself.
 *
 * @param params the smallest valid params
 */
function snippetOf({ name, kind, senders }: Method, params: JsonObject | undefined): string | undefined {
  const given = Object.entries(params ?? {}).filter(([member]) => member !== "_meta");
  const text = given.length > 0 ? `, ${JSON.stringify(Object.fromEntries(given), undefined, 2)}` : "";
  const method = stringLiteral(name);
  if (kind === "request" && senders.includes("client"))
    return program(`const result = await client.request(${method}${text});\nconsole.log(result);`);
  if (kind === "notification" && senders.includes("client"))
    return program(`await client.notify(${method}${text});`);
  if (kind === "notification") return program(`client.on(${method}, (params) => console.log(params));`);
  return undefined;
}

function program(lines: string): string {
  return [
    'import { connect } from "@mcpgen/runtime/all";',
    "",
    'const client = await connect("https://example.com/mcp");',
    lines,
    "await client.close();",
  ].join("\n");
}
