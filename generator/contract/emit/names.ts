import { naturalCompare } from "@mcpgen/engine";
import { capitalised, identifiersFor } from "../../print/text.js";
import type { Contract, ContractDocument } from "../contract.js";
import type { Render } from "../../print/templates.js";
import type { ToolSchemas } from "./tool-schemas.js";

/** The names of a contract entry in generated code. */
export interface ContractName {
  /** The client's method, e.g. `getWeather`. */
  readonly method: string;
  /** The namespace of its types, e.g. `GetWeather`, `ReviewPrompt`, `FileTemplate`. */
  readonly namespace: string;
}

/** The names of all entries in generated code: unique identifiers, also after capitalisation. */
export interface ContractNames {
  /** The function that creates the server, e.g. `createWeatherServer`. */
  readonly createServer: string;
  /**
   * The client's interface, and the function that creates the client, e.g. `WeatherClient`, `weatherClient`.
   */
  readonly clientType: string;
  readonly clientFunction: string;
  /** The interface of a list of the client, e.g. `WeatherTools`. */
  readonly listType: (list: string) => string;
  /** Names by tool. */
  readonly tools: ReadonlyMap<string, ContractName>;
  readonly prompts: ReadonlyMap<string, ContractName>;
  /** The client's method, by resource URI. */
  readonly resources: ReadonlyMap<string, string>;
  /** Names by URI template. */
  readonly templates: ReadonlyMap<string, ContractName>;
}

/**
 * Chooses names for the entries of a contract. Tools choose first; prompts and templates avoid their names.
 */
export function contractNames(contract: Contract): ContractNames {
  const { tools = [], prompts = [], resources = [], resourceTemplates = [] } = contract;
  const taken = new Set<string>();
  const named = (things: readonly Thing[], suffix: string): Map<string, ContractName> => {
    const methods = methodNames(things, suffix === "" ? "tool" : suffix);
    const namespaces = new Map<string, string>();
    for (const [key, method] of [...methods].sort(([, a], [, b]) => naturalCompare(a, b)))
      namespaces.set(key, untaken(joined(capitalised(method), capitalised(suffix)), taken));
    return new Map([...methods].map(([key, method]) => [key, { method, namespace: namespaces.get(key)! }]));
  };
  const server = serverName(contract.name);
  const clientType = joined(server, "Client");
  return {
    createServer: `create${joined(server, "Server")}`,
    clientType,
    // No reserved word ends with `Client`.
    clientFunction: clientType.slice(0, 1).toLowerCase() + clientType.slice(1),
    listType: (list) => joined(server, capitalised(list)),
    tools: named(
      tools.map(({ name }) => ({ key: name, name })),
      "",
    ),
    prompts: named(
      prompts.map(({ name }) => ({ key: name, name })),
      "prompt",
    ),
    resources: methodNames(
      resources.map(({ name, uri }) => ({ key: uri, name })),
      "resource",
    ),
    templates: named(
      resourceTemplates.map(({ name, uriTemplate }) => ({ key: uriTemplate, name })),
      "template",
    ),
  };
}

/**
 * The prefix of a server's names, e.g. `Weather`. A server called `server` gets another prefix, because the
 * runtime already has those names.
 */
function serverName(name: string): string {
  const base = capitalised(methodNames([{ key: "", name }], "contract").get("")!);
  return base === "Server" || base === "Client" ? `Mcp${base}` : base;
}

/** Appends a suffix unless the name ends with it: `My` and `MyServer` both become `MyServer`. */
function joined(name: string, suffix: string): string {
  return name.endsWith(suffix) ? name : name + suffix;
}

interface Thing {
  readonly key: string;
  readonly name: string;
}

function untaken(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
  taken.add(name);
  return name;
}

/**
 * Assigns an identifier to each key. Names in camel case are kept. If identifiers collide, all but the first
 * get a number. Names that are already identifiers come first, then the others, both alphabetically, so that
 * the list's order has no effect.
 */
function methodNames(things: readonly Thing[], otherwise: string): Map<string, string> {
  const forms = new Map<string, string>();
  const taken = new Map<string, number>();
  const rank = ({ name }: Thing): number =>
    camelCase(name) === name ? 0 : /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? 1 : 2;
  const compare = (a: Thing, b: Thing): number =>
    rank(a) - rank(b) || naturalCompare(a.name, b.name) || naturalCompare(a.key, b.key);
  for (const thing of [...things].sort(compare)) {
    const wanted = camelCase(thing.name) || otherwise;
    const count = (taken.get(wanted) ?? 0) + 1;
    taken.set(wanted, count);
    // A space makes the form unique, because no identifier contains one.
    forms.set(thing.key, count === 1 ? wanted : `${wanted} ${count}`);
  }
  const identifiers = identifiersFor([...forms.values()]);
  return new Map(things.map(({ key }) => [key, memberName(identifiers.get(forms.get(key)!)!)]));
}

/**
 * `getWeather` for `get_weather`, `get-weather`, `Get Weather` and `GetWeather`. Letters of all scripts are
 * kept.
 */
function camelCase(name: string): string {
  const words = name
    .normalize("NFC")
    .match(/(?:(?![\p{Pc}\p{Default_Ignorable_Code_Point}])[\p{ID_Continue}$])+/gu);
  return (words ?? []).map((word, index) => (index === 0 ? lowered(word) : capitalised(word))).join("");
}

/** Lowers leading capitals: `URL` becomes `url`, `HTMLPage` becomes `htmlPage`. */
function lowered(word: string): string {
  const upper = /^\p{Lu}+/u.exec(word)?.[0] ?? "";
  const end = upper.length === word.length ? upper.length : Math.max(1, upper.length - 1);
  return upper === "" ? word : word.slice(0, end).toLowerCase() + word.slice(end);
}

/** Avoids the member name `then`, which would make the object look like a promise. */
function memberName(identifier: string): string {
  return identifier === "then" ? "then_" : identifier;
}

/** The role that output is generated for. */
export type ContractRole = "client" | "server" | "both";

/** Input of the contract emitters. */
export interface ContractInput {
  readonly document: ContractDocument;
  readonly names: ContractNames;
  /** Schemas of the tools, in the contract's order. */
  readonly tools: readonly ToolSchemas[];
  readonly role: ContractRole;
  /** The contract's file name without folder, for the header. */
  readonly origin: string;
  readonly importExtension: "js" | "ts";
  /** Whether `format` is asserted if the schema's meta-schema does not decide it. */
  readonly formats: "annotation" | "assertion";
  readonly render: Render;
}
