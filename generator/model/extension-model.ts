import { naturalCompare } from "@mcpgen/engine";
import type { Note } from "../notes/note.js";
import type { NoteProblem } from "../notes/apply.js";
import { type Channel, findChannel } from "./channel.js";
import { discriminate } from "./discriminator.js";
import { missingCapability, requirementsOf } from "./requirements.js";
import {
  type Alternative,
  type Assumption,
  type Capability,
  type Method,
  type ProtocolModel,
  type Requirement,
  type Role,
  opposite,
  receivers,
} from "./model.js";

/** An extension over one of its bases: what the tables of its methods are made from. */
export interface ExtensionModel extends ProtocolModel {
  /** As the sides declare it. */
  readonly id: string;
  readonly version: string;
  /** The revision that it extends. */
  readonly base: ProtocolModel;
  /** Definitions of the base, by the names that they have in the schema. */
  readonly imported: ReadonlyMap<string, string>;
  readonly declared: OfEachSide<DeclaredPlace>;
  /** Natural order of method, then of definition: the order of notes does not show. */
  readonly augments: readonly Augmented[];
  /** Natural order of definition, then of place. */
  readonly members: readonly MemberRule[];
  readonly channel?: Channel;
}

type OfEachSide<Value> = { readonly [Side in Role]?: Value };

/** A place in the capabilities, as a JSON Pointer, and the definition of what stands there. */
interface DeclaredPlace {
  readonly path: string;
  readonly settings?: string;
}

/** A method of the base, and a result that the extension adds to it. */
export interface Augmented {
  readonly method: Method;
  readonly result: Alternative;
  readonly requires?: Requirement;
}

/** A member that the extension adds to objects of a definition of the base. */
export interface MemberRule {
  /** Name of the definition in the base. */
  readonly of: string;
  /** JSON Pointer within the object. */
  readonly path: string;
  readonly definition: string;
  readonly required: boolean;
}

/** What the files of an extension say beside schema and notes. */
export interface ExtensionFacts {
  readonly id: string;
  readonly version: string;
  readonly declared: OfEachSide<string>;
  readonly settings: OfEachSide<string>;
  readonly channel?: Pick<Channel, "roles" | "handshake">;
}

interface Source {
  readonly facts: ExtensionFacts;
  readonly base: ProtocolModel;
  readonly imported: ReadonlyMap<string, string>;
  /** The notes that hold for the base. */
  readonly notes: readonly Note[];
  /** The model of its methods. */
  readonly model: ProtocolModel;
}

/** Completes the model of an extension's methods: gates, added results and members. */
export function completeExtension(
  { facts, base, imported, notes, model }: Source,
  problems: NoteProblem[],
): ExtensionModel {
  const elsewhere = onChannelAlone(notes);
  const assumptions = model.assumptions.filter(
    ({ kind, subject }) => kind !== "sender" || !elsewhere.has(subject),
  );
  const found = { channel: facts.channel, notes, base, imported, model };
  const channel = findChannel(found, problems, assumptions);
  const context: Context = { facts, base, imported, model, problems, assumptions };
  const augments = notes
    .flatMap((note) => (note.kind === "augments" ? augmented(note, context) : []))
    .sort(
      (a, b) =>
        naturalCompare(a.method.name, b.method.name) ||
        naturalCompare(a.result.definition, b.result.definition),
    );
  const { declared } = facts;
  const requirements = requirementsOf(notes, { methods: model.methods, declared }, problems);
  for (const note of notes) if (note.kind === "error") refuseReserved(note, context);
  const members = notes
    .flatMap((note) => (note.kind === "member" ? memberRules(note, context) : []))
    .sort((a, b) => naturalCompare(a.of, b.of) || naturalCompare(a.path, b.path));
  return {
    ...model,
    id: facts.id,
    version: facts.version,
    base,
    imported,
    methods: model.methods
      .filter(({ name }) => !elsewhere.has(name))
      .map((method) => ({
        ...method,
        capabilities: gatesOf(method, facts),
        ...requirements.get(method.name),
      })),
    errors: model.errors.filter((error) => !isKnown(error, base)),
    declared: declaredPlaces(facts),
    augments,
    members,
    ...(channel && { channel }),
    assumptions,
  };
}

/** Methods that travel on the channel, and whose sender no other note names. */
export function onChannelAlone(notes: readonly Note[]): ReadonlySet<string> {
  const targets = (kind: Note["kind"]): string[] =>
    notes.flatMap((note) => (note.kind === kind ? note.targets : []));
  const sent = new Set(targets("sender"));
  return new Set(targets("channel").filter((target) => !sent.has(target)));
}

interface Context {
  readonly facts: ExtensionFacts;
  readonly base: ProtocolModel;
  readonly imported: ReadonlyMap<string, string>;
  readonly model: ProtocolModel;
  readonly problems: NoteProblem[];
  readonly assumptions: Assumption[];
}

function declaredPlaces({ declared, settings }: ExtensionFacts): OfEachSide<DeclaredPlace> {
  return Object.fromEntries(
    Object.entries(declared).map(([side, path]) => {
      const definition = settings[side as Role];
      return [side, { path, ...(definition !== undefined && { settings: definition }) }];
    }),
  );
}

/** Codes that were in use before the specification reserved the range (2026-07-28, basic, error codes). */
const legacyCodes = { least: -32_019, most: -32_000 };

function refuseReserved(note: Extract<Note, { kind: "error" }>, { base, problems }: Context): void {
  if (base.era === "legacy") return;
  for (const target of note.targets) {
    const code = Number(target);
    if (code < legacyCodes.least || code > legacyCodes.most || isKnown({ name: note.name, code }, base))
      continue;
    const message =
      "the base keeps the codes from -32000 to -32019 for older code: no new error may have one";
    problems.push({ code: "MG1313", note, target, message });
  }
}

/** An error that the base has, too: its name would be there twice. */
function isKnown({ name, code }: ProtocolModel["errors"][number], { errors }: ProtocolModel): boolean {
  return errors.some((error) => error.name === name && error.code === code);
}

/**
 * Of each side that answers a request, or announces something, the place that notes name, else that of the extension: a
 * method may be used only where it is declared.
 */
function gatesOf(method: Method, { declared }: ExtensionFacts): readonly Capability[] {
  const sides = method.kind === "request" ? receivers(method) : method.senders;
  const added = sides.flatMap((of): Capability[] => {
    const path = declared[of];
    const isNamed = method.capabilities.some((capability) => capability.of === of);
    return path === undefined || isNamed ? [] : [{ of, path }];
  });
  return [...method.capabilities, ...added].sort((a, b) => (a.of < b.of ? -1 : 1));
}

function augmented(note: Extract<Note, { kind: "augments" }>, context: Context): Augmented[] {
  const { base, imported, model, problems, assumptions, facts } = context;
  return note.targets.flatMap((target) => {
    const method = base.methods.find(({ name, kind }) => name === target && kind === "request");
    const problem = (message: string): Augmented[] => {
      problems.push({ code: "MG1202", note, target, message });
      return [];
    };
    if (!method) return problem(`the base ${base.revision} has no such request`);
    if (!model.schema.definitions.has(note.result))
      return problem(`the schema has no definition ${JSON.stringify(note.result)}`);
    const { mark } = note;
    const plain = [...imported].find(([, name]) => name === method.result?.definition)?.[0];
    const discriminator = mark
      ? { key: Object.keys(mark)[0]!, value: Object.values(mark)[0]! }
      : discriminate(model.schema, plain, note.result, assumptions).discriminator;
    const sender = method.senders.find((side) => facts.declared[side] !== undefined);
    const requires: Requirement | undefined =
      sender === undefined
        ? undefined
        : { of: sender, path: facts.declared[sender]!, error: missingCapability };
    const answering = opposite(sender ?? method.senders[0]!);
    const capability = facts.declared[answering];
    return [
      {
        method,
        result: {
          definition: note.result,
          ...(discriminator && { discriminator }),
          ...(capability !== undefined && { capability }),
        },
        ...(requires && { requires }),
      },
    ];
  });
}

function memberRules(
  note: Extract<Note, { kind: "member" }>,
  { base, model, problems }: Context,
): MemberRule[] {
  return note.targets.flatMap((target) => {
    const problem = (message: string): MemberRule[] => {
      problems.push({ code: "MG1202", note, target, message });
      return [];
    };
    const of = /^base#\/\$defs\/([^/]+)$/.exec(target)?.[1];
    if (of === undefined) return problem("expected a definition of the base, such as base#/$defs/Tool");
    if (!base.schema.definitions.has(of)) return problem(`the base ${base.revision} has no definition ${of}`);
    if (!model.schema.definitions.has(note.definition))
      return problem(`the schema has no definition ${JSON.stringify(note.definition)}`);
    const { member: path, definition, required = false } = note;
    return [{ of, path, definition, required }];
  });
}
