import {
  type Definition,
  type SchemaNode,
  naturalCompare,
  reachable,
  reaching,
  withReferenceNames,
} from "@mcpgen/engine";
import {
  type Method,
  type ProtocolModel,
  answersOf,
  published,
  vocabularyOf,
  withDefinitionNames,
} from "../../../model/model.js";
import { signatureOfNodes } from "../steps/signature.js";
import { freeName } from "../emitter.js";
import { authoredResults, authoredSchema, inlineParams, presenceOf } from "./authored-schema.js";

/** A definition taken from a revision other than the pinned one. */
interface Lent {
  readonly lender: ProtocolModel;
  /** The definition's name in that revision. */
  readonly name: string;
}

/** The types that handlers write and clients read. */
export interface Vocabulary {
  readonly pinned: ProtocolModel;
  /** The pinned model, extended by methods that it lacks, with their definitions. */
  readonly model: ProtocolModel;
  /** The definitions taken from other revisions, by their names in `model`. */
  readonly lent: ReadonlyMap<string, Lent>;
}

/**
 * Builds the vocabulary: the pinned revision and the methods that only other released revisions have. Such a
 * method comes from the nearest newer revision that has it, else from the last older one (the lender). It
 * keeps the messages of the lender, because it cannot be converted to the pinned revision. Definitions of the
 * lender that equal those of the pinned revision are not repeated.
 *
 * @param models oldest first
 * @param pinned id of a revision; default: the newest released one
 */
export function vocabularyFrom(
  models: readonly ProtocolModel[],
  pinned: string | undefined,
): Vocabulary | undefined {
  const model = vocabularyOf(models, pinned);
  if (!model) return undefined;
  const all = published(models);
  const place = all.indexOf(model);
  const lenders = [...all.slice(place + 1), ...all.slice(0, place).reverse()];
  const start: Vocabulary = { pinned: model, model, lent: new Map() };
  return lenders.reduce(withMethodsOf, start);
}

/**
 * The vocabulary as a model that can be compared with another vocabulary. Messages have only params, results
 * lack owned members, and facts that handlers do not see are omitted.
 */
export function authoredModel({ model }: Vocabulary): ProtocolModel {
  const authored = authoredSchema(model);
  const definitions = new Map(authored.reached.map((definition) => [definition.name, definition]));
  const methods = model.methods.map((method): Method => {
    const { name, kind, senders, message, params, result, deprecated } = method;
    const presence = presenceOf(authored, method);
    definitions.set(message, { name: message, node: messageNode(model, method, presence) });
    const alternatives = authoredResults(model, method).filter((answer) => answer !== result?.definition);
    return {
      ...{ name, kind, senders, message, payload: false, envelope: true },
      params: { ...params, presence },
      ...(result && {
        result: {
          ...(result.definition !== undefined && { definition: result.definition }),
          alternatives: alternatives.map((definition) => ({ definition })),
        },
      }),
      ...{ capabilities: [], cacheable: false, multiRoundTrip: false, listening: false },
      ...(deprecated && { deprecated }),
    };
  });
  return {
    ...model,
    schema: { ...model.schema, definitions },
    methods,
    owned: new Map(),
    errors: [],
    headers: [],
    batches: false,
    transport: [],
  };
}

/** The schema of a method's message as an author knows it: name and params. */
function messageNode(
  model: ProtocolModel,
  { name, message, params }: Method,
  presence: Method["params"]["presence"],
): SchemaNode {
  const { pointer } = model.schema.definitions.get(message)!.node;
  const given: SchemaNode[] =
    params.definition === undefined
      ? inlineParams(model, { message, params })
      : [{ pointer, ref: params.definition }];
  const [only, ...others] = given;
  const node = only && (others.length === 0 ? only : { pointer, allOf: given });
  return {
    pointer,
    types: ["object"],
    properties: new Map([
      ["method", { pointer, const: { value: name } }],
      ...(node ? [["params", node] as const] : []),
    ]),
    required: presence === "required" ? ["method", "params"] : ["method"],
  };
}

/** Adds to the vocabulary the methods of `lender` that it lacks. */
function withMethodsOf(vocabulary: Vocabulary, lender: ProtocolModel): Vocabulary {
  const { pinned, model, lent } = vocabulary;
  const methods = methodsBeyond(model, lender);
  if (methods.length === 0) return vocabulary;
  const names = namesAmong(model, lender, methods);
  const rename = (name: string): string => names.get(name) ?? name;
  const definitions = new Map(model.schema.definitions);
  const owned = new Map(model.owned);
  for (const [name, own] of names) {
    definitions.set(own, renamed(lender.schema.definitions.get(name)!, own, rename));
    const members = lender.owned.get(name);
    if (members) owned.set(own, members);
  }
  return {
    pinned,
    model: {
      ...model,
      schema: { ...model.schema, definitions },
      owned,
      methods: [...model.methods, ...methods.map((method) => withDefinitionNames(method, rename))].sort(
        (a, b) => naturalCompare(a.name, b.name),
      ),
    },
    lent: new Map([...lent, ...[...names].map(([name, own]) => [own, { lender, name }] as const)]),
  };
}

/** The methods of `lender` that `model` lacks, limited to the senders for which it lacks them. */
function methodsBeyond(model: ProtocolModel, lender: ProtocolModel): Method[] {
  const known = new Set(
    model.methods.flatMap(({ kind, name, senders }) => senders.map((sender) => `${kind} ${sender} ${name}`)),
  );
  return lender.methods.flatMap((method) => {
    const { kind, name } = method;
    const senders = method.senders.filter((sender) => !known.has(`${kind} ${sender} ${name}`));
    return senders.length === 0 ? [] : [{ ...method, senders }];
  });
}

/**
 * The definitions of `lender` that its methods need and that `model` does not have in the same form, each
 * with an unused name in `model`.
 */
function namesAmong(
  model: ProtocolModel,
  lender: ProtocolModel,
  methods: readonly Method[],
): ReadonlyMap<string, string> {
  const known = model.schema.definitions;
  const different = differing(model, lender);
  const names = new Map<string, string>();
  const taken = new Set(known.keys());
  const needed = reachable(lender.schema, methods.flatMap(definitionsOf));
  for (const name of lender.schema.definitions.keys()) {
    if (!needed.has(name) || !different.has(name)) continue;
    const wanted = taken.has(name) ? `${name}${lender.revision.replace(/\W/g, "")}` : name;
    names.set(name, freeName(wanted, taken));
  }
  return names;
}

function definitionsOf(method: Method): string[] {
  const { definition } = method.params;
  return [method.message, ...(definition === undefined ? [] : [definition]), ...answersOf(method)];
}

/**
 * The definitions of `lender` that authors would write differently than those of the same name in `model`.
 */
function differing(model: ProtocolModel, lender: ProtocolModel): ReadonlySet<string> {
  const known = authoredSchema(model).schema.definitions;
  const { schema } = authoredSchema(lender);
  const own = [...schema.definitions.values()].filter(({ name, node }) => {
    const other = known.get(name);
    return !other || signatureOfNodes([other.node]) !== signatureOfNodes([node]);
  });
  return reaching(
    schema,
    own.map(({ name }) => name),
  );
}

function renamed(definition: Definition, name: string, rename: (name: string) => string): Definition {
  const { node, extends: bases } = definition;
  return {
    ...definition,
    name,
    node: withReferenceNames(node, rename),
    ...(bases && { extends: bases.map(rename) }),
  };
}
