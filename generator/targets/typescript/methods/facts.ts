import { pointerTokens, reachingOpen, groupBy } from "@mcpgen/engine";
import {
  type Alternative,
  type EntryRequest,
  type HeaderRule,
  type Method,
  type PartialList,
  type ProtocolModel,
  type Requirement,
  type Role,
  gate,
  isFinal,
} from "../../../model/model.js";
import { requirementOf } from "../../../model/notes-by-method.js";
import { arrayLayout, memberLine, objectLayout, stringsLayout } from "../../../print/code-layout.js";
import { capitalised, stringLiteral } from "../../../print/text.js";
import type { Imported } from "../emitter.js";
import type { Layout } from "../../../print/layout.js";

export type TableEntry = readonly [key: string, value: Layout];

/** Prints the facts about a method for the tables. */
export class Facts {
  private readonly names: ReadonlyMap<string, string>;
  private readonly imported: Imported | undefined;
  private readonly headersOf: ReadonlyMap<string, HeaderRule[]>;
  /** Definitions whose open variant differs from the exact one. */
  private readonly differing: ReadonlySet<string>;

  constructor(
    model: Pick<ProtocolModel, "schema" | "headers">,
    names: ReadonlyMap<string, string>,
    imported?: Imported,
  ) {
    this.names = names;
    this.imported = imported;
    this.differing = reachingOpen(model.schema);
    this.headersOf = groupBy(model.headers, ({ method }) => method);
  }

  /** The definition's name in explanations and validators. */
  nameOf(definition: string): string {
    return capitalised(this.names.get(definition)!);
  }

  /** The validator of the open variant. If the variants do not differ, `acceptsX` is an alias of `isX`. */
  accepts(definition: string): TableEntry {
    const reading = this.differing.has(definition) ? "accepts" : "is";
    return ["accepts", this.validator(reading, definition)];
  }

  private exactly(definition: string): TableEntry {
    return ["is", this.validator("is", definition)];
  }

  private validator(reading: "accepts" | "is", definition: string): string {
    const exported = this.imported?.identifiers.get(definition);
    return exported === undefined
      ? `validators.${reading}${this.nameOf(definition)}`
      : `baseValidators.${reading}${capitalised(exported)}`;
  }

  /** Entries for a definition of what is sent: its name, for errors, and its exact validator. */
  named(definition: string): TableEntry[] {
    return [["name", stringLiteral(this.nameOf(definition))], this.exactly(definition)];
  }

  /** Facts that do not depend on the direction of the method. */
  common(method: Method, sender: Role): TableEntry[] {
    const capability = gate(method, sender);
    const headers = this.headersOf.get(method.name) ?? [];
    const finalTypes = resultTypesOf(method);
    const asks = askingTypeOf(method);
    // Both sides must declare an extension; its notes say which methods require that.
    const requires = this.imported ? method.requires : requirementOf(method);
    const members: (TableEntry | false)[] = [
      capability !== undefined && [
        "capability",
        objectLayout([
          ["of", stringLiteral(capability.of)],
          ["path", pathLayout(capability.path)],
          ...(capability.parts ? [["parts", stringsLayout(capability.parts)] as const] : []),
        ]),
      ],
      headers.length > 0 && ["headers", headersLayout(headers)],
      method.cacheable && ["cacheable", "true"],
      method.multiRoundTrip && ["multiRoundTrip", "true"],
      method.listening && ["listening", "true"],
      method.payload && ["payload", "true"],
      method.filter !== undefined && ["filter", stringLiteral(method.filter)],
      method.filterKey !== undefined && ["filterKey", stringLiteral(method.filterKey)],
      requires !== undefined && ["requires", requirementLayout(requires)],
      method.invalidates !== undefined && ["invalidates", stringsLayout(method.invalidates)],
      finalTypes.length > 0 && ["resultTypes", stringsLayout(finalTypes)],
      asks !== undefined && ["asks", stringLiteral(asks)],
    ];
    return members.filter((member) => member !== false);
  }

  /** Facts about the results of a method, for the side that reads them. */
  answers({ result, page, list }: Method): TableEntry[] {
    if (!result) return [];
    const members: TableEntry[] = [];
    if (result.definition !== undefined)
      members.push(["result", objectLayout([this.accepts(result.definition)])]);
    if (result.alternatives.length > 0) {
      const alternatives = result.alternatives.map((arm) =>
        objectLayout([this.accepts(arm.definition), ...marker(arm)]),
      );
      members.push(["alternatives", arrayLayout(alternatives, true)]);
    }
    if (page) {
      members.push([
        "page",
        objectLayout([
          ["member", stringLiteral(page.member)],
          this.accepts(page.item),
          ...(page.partial ? [["partial", partialLayout(page.partial, this)] as const] : []),
        ]),
      ]);
    }
    if (list !== undefined) members.push(["list", stringLiteral(list)]);
    return members;
  }

  /** All results of a method with exact validators, for the side that sends them; the plain result first. */
  exactAnswers({ result }: Method): Layout[] {
    if (!result) return [];
    const { definition, alternatives } = result;
    return [
      ...(definition === undefined ? [] : [objectLayout(this.named(definition))]),
      ...alternatives.map((arm) => objectLayout([...this.named(arm.definition), ...mark(arm)])),
    ];
  }

  /** Row with the HTTP headers of every request. */
  standardHeaders(): string {
    return memberLine(1, "headers", headersLayout(this.headersOf.get("*") ?? []));
  }
}

/** How a result marks its list as incomplete. */
function partialLayout({ member, means, reference, get }: PartialList, facts: Facts): Layout {
  return objectLayout([
    ["path", pathLayout(member)],
    ...(means === undefined ? [] : [["means", scalarLiteral(means)] as const]),
    ...(reference
      ? [
          [
            "reference",
            objectLayout([
              facts.accepts(reference.definition),
              ...(reference.whole
                ? [["whole", objectLayout(mark({ discriminator: reference.whole }))] as const]
                : []),
            ]),
          ] as const,
        ]
      : []),
    ...(get ? [["get", objectLayout(entryRequest(get))] as const] : []),
  ]);
}

function scalarLiteral(value: boolean | number | string): string {
  return typeof value === "string" ? stringLiteral(value) : String(value);
}

function entryRequest({ method, param, many, key, member }: EntryRequest): TableEntry[] {
  return [
    ["method", stringLiteral(method)],
    ["param", stringLiteral(param)],
    ...(many ? [["many", "true"] as const] : []),
    ["key", stringLiteral(key)],
    ...(member === undefined ? [] : [["member", stringLiteral(member)] as const]),
  ];
}

/** The values of `resultType` for final results other than the plain one. */
function resultTypesOf({ result }: Method): string[] {
  const marks = (result?.alternatives ?? []).filter(isFinal).map(({ discriminator }) => discriminator!);
  return marks.flatMap(({ key, value }) => (key === "resultType" ? [value!] : []));
}

/**
 * The `resultType` of a result that asks for input, unless it is the value that the runtime uses by default.
 */
function askingTypeOf({ result }: Method): string | undefined {
  return (result?.alternatives ?? [])
    .flatMap(({ asks, discriminator }) =>
      asks && discriminator?.key === "resultType" ? discriminator.value : [],
    )
    .find((value) => value !== "input_required");
}

/** The capability that the other side must have declared. */
export function requirementLayout({ of, path, error }: Requirement): Layout {
  return objectLayout([
    ["of", stringLiteral(of)],
    ["path", pathLayout(path)],
    ["error", stringLiteral(error)],
  ]);
}

/**
 * The member that distinguishes an alternative from the plain result, and the capability that it requires.
 */
export function marker(alternative: Alternative): TableEntry[] {
  const { capability } = alternative;
  return [
    ...mark(alternative),
    ...(capability === undefined ? [] : [["capability", pathLayout(capability)] as const]),
  ];
}

/** The member that distinguishes an alternative from the plain result. */
export function mark({ discriminator }: Pick<Alternative, "discriminator">): TableEntry[] {
  const { key, value } = discriminator ?? {};
  return [
    ...(key === undefined ? [] : [["key", stringLiteral(key)] as const]),
    ...(value === undefined ? [] : [["value", stringLiteral(value)] as const]),
  ];
}

export function pathLayout(pointer: string): Layout {
  return stringsLayout(pointerTokens(pointer));
}

function headersLayout(rules: readonly HeaderRule[]): Layout {
  const headers = rules.map(({ header, from }) =>
    objectLayout([
      ["header", stringLiteral(header)],
      ...(from === null ? [] : [["from", pathLayout(from)] as const]),
    ]),
  );
  const forced = rules.every(({ from }) => from !== null);
  return arrayLayout(headers, forced);
}
