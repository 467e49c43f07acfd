import { naturalCompare } from "@mcpgen/engine";
import { capitalised, identifiersFor } from "../../print/text.js";
import type { Contract, ContractDocument } from "../contract.js";
import type { Render } from "../../print/templates.js";
import type { ToolSchemas } from "./tool-schemas.js";

/** The names of one entry of a contract in generated code. */
export interface ContractName {
  /** The client's method: `getWeather`. */
  readonly method: string;
  /** The namespace of its types: `GetWeather`, `ReviewPrompt`, `FileTemplate`. */
  readonly namespace: string;
}

/** The names of a contract's entries in generated code: unique identifiers, even once capitalised. */
export interface ContractNames {
  /** The function that makes the server: `createWeatherServer`. */
  readonly createServer: string;
  /** The client's interface, and the function that makes it: `WeatherClient`, `weatherClient`. */
  readonly clientType: string;
  readonly clientFunction: string;
  /** The interface of one list of the client, by the list: `WeatherTools`. */
  readonly listType: (list: string) => string;
  /** By name. */
  readonly tools: ReadonlyMap<string, ContractName>;
  readonly prompts: ReadonlyMap<string, ContractName>;
  /** The client's method by URI. */
  readonly resources: ReadonlyMap<string, string>;
  /** By URI template. */
  readonly templates: ReadonlyMap<string, ContractName>;
}

/** Names of tools are their own affair; those of prompts and templates make way for them. */
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
    // No reserved word ends so.
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
 * The prefix of a server's names: `Weather`. A server called `server` gets another prefix, for the runtime has names
 * with that one.
 */
function serverName(name: string): string {
  const base = capitalised(methodNames([{ key: "", name }], "contract").get("")!);
  return base === "Server" || base === "Client" ? `Mcp${base}` : base;
}

/** `MyServer` for `My` and `Server`, and for `MyServer` and `Server`. */
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
 * An identifier by key. Names in camel case stay. If names become the same, all but the first get a number: those that
 * are identifiers come first, then the others, each in alphabetical order, for a list has no order.
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
    // No name of the user's has a space left.
    forms.set(thing.key, count === 1 ? wanted : `${wanted} ${count}`);
  }
  const identifiers = identifiersFor([...forms.values()]);
  return new Map(things.map(({ key }) => [key, memberName(identifiers.get(forms.get(key)!)!)]));
}

/** `getWeather` for `get_weather`, `get-weather`, `Get Weather` and `GetWeather`; letters of all scripts stay. */
function camelCase(name: string): string {
  const words = name
    .normalize("NFC")
    .match(/(?:(?![\p{Pc}\p{Default_Ignorable_Code_Point}])[\p{ID_Continue}$])+/gu);
  return (words ?? []).map((word, index) => (index === 0 ? lowered(word) : capitalised(word))).join("");
}

/** `URL` becomes `url`, `HTMLPage` `htmlPage`. */
function lowered(word: string): string {
  const upper = /^\p{Lu}+/u.exec(word)?.[0] ?? "";
  const end = upper.length === word.length ? upper.length : Math.max(1, upper.length - 1);
  return upper === "" ? word : word.slice(0, end).toLowerCase() + word.slice(end);
}

/** An object with a member `then` would count as a promise. */
function memberName(identifier: string): string {
  return identifier === "then" ? "then_" : identifier;
}

/** Whom output is for. */
export type ContractRole = "client" | "server" | "both";

/** The input of the emitters of contracts. */
export interface ContractInput {
  readonly document: ContractDocument;
  readonly names: ContractNames;
  /** In the contract's order. */
  readonly tools: readonly ToolSchemas[];
  readonly role: ContractRole;
  /** The file in the header: the contract's file, without its folder. */
  readonly origin: string;
  readonly importExtension: "js" | "ts";
  /** Whether `format` is checked where a schema's own meta-schema does not ask for it. */
  readonly formats: "annotation" | "assertion";
  readonly render: Render;
}
