import { pointerTokens, reachingOpen } from "@mcpgen/engine";
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
} from "../../model/model.js";
import { requirementOf } from "../../model/notes-by-method.js";
import { arrayLayout, memberLine, objectLayout, stringsLayout } from "../../print/code-layout.js";
import { capitalised, stringLiteral } from "../../print/text.js";
import type { Imported } from "../emitter.js";
import type { Layout } from "../../print/layout.js";

export type TableEntry = readonly [key: string, value: Layout];

/** Prints what the tables say of one method. */
export class Facts {
  private readonly names: ReadonlyMap<string, string>;
  private readonly imported: Imported | undefined;
  private readonly headersOf = new Map<string, HeaderRule[]>();
  /** Definitions whose open reading differs from the exact one. */
  private readonly differing: ReadonlySet<string>;

  constructor(
    model: Pick<ProtocolModel, "schema" | "headers">,
    names: ReadonlyMap<string, string>,
    imported?: Imported,
  ) {
    this.names = names;
    this.imported = imported;
    this.differing = reachingOpen(model.schema);
    for (const rule of model.headers) {
      const rules = this.headersOf.get(rule.method);
      if (rules) rules.push(rule);
      else this.headersOf.set(rule.method, [rule]);
    }
  }

  /** The name by which explanations and validators know a definition. */
  nameOf(definition: string): string {
    return capitalised(this.names.get(definition)!);
  }

  /** The validator of the open reading. Where the readings do not differ, `acceptsX` is a second name of `isX`. */
  accepts(definition: string): TableEntry {
    const reading = this.differing.has(definition) ? "accepts" : "is";
    return ["accepts", this.validator(reading, definition)];
  }

  exactly(definition: string): TableEntry {
    return ["is", this.validator("is", definition)];
  }

  private validator(reading: "accepts" | "is", definition: string): string {
    const exported = this.imported?.identifiers.get(definition);
    return exported === undefined
      ? `validators.${reading}${this.nameOf(definition)}`
      : `baseValidators.${reading}${capitalised(exported)}`;
  }

  /** A definition by name, with the validator of the wanted reading. */
  definition(definition: string, ...validator: TableEntry[]): TableEntry[] {
    return [["name", stringLiteral(this.nameOf(definition))], ...validator];
  }

  /** What holds for the method in whichever direction it goes. */
  common(method: Method, sender: Role): TableEntry[] {
    const capability = gate(method, sender);
    const headers = this.headersOf.get(method.name) ?? [];
    const finalTypes = resultTypesOf(method);
    const asks = askingTypeOf(method);
    // An extension is declared by both sides: its notes say which methods require that.
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

  /** What answers the method, for the side that reads the answer. */
  answers({ result, page, list }: Method): TableEntry[] {
    if (!result) return [];
    const named = (definition: string): TableEntry[] => this.definition(definition, this.accepts(definition));
    const members: TableEntry[] = [];
    if (result.definition !== undefined) members.push(["result", objectLayout(named(result.definition))]);
    if (result.alternatives.length > 0) {
      const alternatives = result.alternatives.map((arm) =>
        objectLayout([...named(arm.definition), ...marker(arm)]),
      );
      members.push(["alternatives", arrayLayout(alternatives, true)]);
    }
    if (page) {
      members.push([
        "page",
        objectLayout([
          ["member", stringLiteral(page.member)],
          ...named(page.item),
          ...(page.partial ? [["partial", partialLayout(page.partial, named)] as const] : []),
        ]),
      ]);
    }
    if (list !== undefined) members.push(["list", stringLiteral(list)]);
    return members;
  }

  /** All that may answer the method, as it must be sent, the plain result first. */
  exactAnswers({ result }: Method): Layout[] {
    if (!result) return [];
    const { definition, alternatives } = result;
    const exact = (name: string): TableEntry[] => this.definition(name, this.exactly(name));
    return [
      ...(definition === undefined ? [] : [objectLayout(exact(definition))]),
      ...alternatives.map((arm) => objectLayout([...exact(arm.definition), ...mark(arm)])),
    ];
  }

  /** Headers of every request. */
  standardHeaders(): string {
    return memberLine(1, "headers", headersLayout(this.headersOf.get("*") ?? []));
  }
}

/** How a list says that it leaves entries out. */
function partialLayout(
  { member, means, reference, get }: PartialList,
  named: (definition: string) => TableEntry[],
): Layout {
  return objectLayout([
    ["path", pathLayout(member)],
    ...(means === undefined ? [] : [["means", scalarLiteral(means)] as const]),
    ...(reference
      ? [
          [
            "reference",
            objectLayout([
              ...named(reference.definition),
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

/** The values of `resultType` that mark final results in place of the plain one. */
function resultTypesOf({ result }: Method): string[] {
  const marks = (result?.alternatives ?? []).filter(isFinal).map(({ discriminator }) => discriminator!);
  return marks.flatMap(({ key, value }) => (key === "resultType" ? [value!] : []));
}

/** The value of `resultType` of a result that asks for input, where it is not that which the runtime writes by itself. */
function askingTypeOf({ result }: Method): string | undefined {
  return (result?.alternatives ?? [])
    .flatMap(({ asks, discriminator }) =>
      asks && discriminator?.key === "resultType" ? discriminator.value : [],
    )
    .find((value) => value !== "input_required");
}

/** What the other side must have declared. */
export function requirementLayout({ of, path, error }: Requirement): Layout {
  return objectLayout([
    ["of", stringLiteral(of)],
    ["path", pathLayout(path)],
    ["error", stringLiteral(error)],
  ]);
}

/** The member that distinguishes an alternative from the plain result, and the capability it requires. */
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
