import { type SchemaNode, descendants } from "@mcpgen/engine";
import { assertions } from "./assertions.js";
import { condition } from "./condition.js";
import {
  type Expression,
  and,
  bound,
  call,
  compare,
  countLimits,
  flatText,
  or,
  isAbsent,
  isLong,
  isPresent,
  member,
  probe,
  readings,
  not,
} from "./expression.js";
import { flat } from "../../../print/layout.js";
import { type Kind, kindTest } from "./shape.js";
import type { PreludeName } from "./prelude.js";
import { type Statement, refuseUnless, when } from "./statement.js";
import type { Place } from "./unit.js";
import { amongTest, patternTest } from "./own.js";

/** Checks the keywords of `node` about members. `subject` must be an object. */
export function checkMembers(node: SchemaNode, subject: string, place: Place): Statement[] {
  const groups = groupsOf(node);
  if (groups.length > 1) return checkGroups(node, groups, subject, place);
  const members = membersOf(node, place);
  // By convention, names with a leading underscore come last, as in printed types.
  members.sort((a, b) => a.rank - b.rank || Number(a.name.startsWith("_")) - Number(b.name.startsWith("_")));
  return [
    ...checkCount(node, subject),
    ...members.flatMap((one) => checkMember(one, subject, place.under(one.name))),
    ...checkKeys(node, subject, place),
    ...checkDependents(node, subject, place),
  ];
}

const onlyObjects: ReadonlySet<Kind> = new Set(["object"]);

/**
 * Maximum number of members, including those of nested objects, that one function checks. TypeScript does not
 * follow more tests in a function (TS2563).
 */
const mostMembers = 200;

type Group = readonly (readonly [name: string, node: SchemaNode])[];

/**
 * Divides the described members into groups of at most `mostMembers`. A single member that exceeds the limit
 * is divided itself.
 */
function groupsOf({ properties = new Map<string, SchemaNode>() }: SchemaNode): readonly Group[] {
  const groups: [string, SchemaNode][][] = [];
  let weight = Infinity;
  for (const entry of properties) {
    const own = weightOf(entry[1]);
    weight += own;
    if (weight <= mostMembers) {
      groups.at(-1)!.push(entry);
    } else {
      groups.push([entry]);
      weight = own;
    }
  }
  return groups;
}

/** Number of members checked for one member: itself, and those below it. */
function weightOf(node: SchemaNode): number {
  let weight = 1;
  for (const { properties } of descendants(node)) weight += properties?.size ?? 0;
  return weight;
}

function checkGroups(node: SchemaNode, groups: readonly Group[], subject: string, place: Place): Statement[] {
  const { properties, required = [], pointer } = node;
  const undescribed = { pointer, required: required.filter((name) => !properties?.has(name)) };
  const described = groups.map((entries): SchemaNode => {
    const group = new Map(entries);
    return { pointer, properties: group, required: required.filter((name) => group.has(name)) };
  });
  return [
    ...checkCount(node, subject),
    ...[undescribed, ...described].flatMap((group) =>
      refuseUnless(place.under("members").conditionFor(group, subject, onlyObjects)),
    ),
    ...checkKeys(node, subject, place),
    ...checkDependents(node, subject, place),
  ];
}

interface Member {
  readonly name: string;
  readonly node: SchemaNode;
  readonly required: boolean;
  /** The condition of the member for `probe`; undefined if it needs statements. */
  readonly accepted: Expression | undefined;
  readonly rank: number;
}

/** The described or required members. Checks that are cheap and usually decisive come first. */
function membersOf(node: SchemaNode, place: Place): Member[] {
  const required = new Set(node.required);
  const properties = node.properties ?? new Map<string, SchemaNode>();
  const undescribed = [...required].filter((name) => !properties.has(name));
  const described = [...properties].filter(
    ([name, child]) => required.has(name) || !place.shapes.isTrivial(child),
  );
  return [
    ...described,
    ...undescribed.map((name) => [name, { pointer: node.pointer, always: true }] as const),
  ].map(([name, child]) => {
    const accepted = kindAlone(child, place) ?? condition(child, probe, place);
    const rank = rankOf(child, required.has(name), accepted, place);
    return { name, node: child, required: required.has(name), accepted, rank };
  });
}

/** The order of checks: constants, scalars, plain objects and arrays, calls, statements. */
function rankOf(node: SchemaNode, required: boolean, simple: Expression | undefined, place: Place): number {
  const kinds = place.shapes.kindsOf(node);
  const scalar = !kinds.has("object") && !kinds.has("array");
  const cost = (node.const ?? node.enum) ? 0 : scalar ? 1 : !simple ? 4 : isBare(node) ? 2 : 3;
  return (required ? 0 : 5) + cost;
}

function isBare(node: SchemaNode): boolean {
  return node.types !== undefined && node.ref === undefined;
}

function checkMember({ name, node, required, accepted }: Member, subject: string, place: Place): Statement[] {
  const access = member(subject, name);
  const ready = !required || place.shapes.refusesUndefined(node);
  if (accepted) {
    const whole = !required ? absentOr(accepted) : ready ? accepted : and(isPresent(probe), accepted);
    const times = readings(whole);
    if (times === 0 || (times === 1 && !isLong(access)))
      return refuseUnless(bound(whole, probe, flat(access)));
    const local = place.scope.local(name, subject);
    return [{ kind: "const", name: local, value: access }, ...refuseUnless(bound(whole, probe, local))];
  }
  const local = place.scope.local(name, subject);
  const checks = place.check(node, local);
  return [
    { kind: "const", name: local, value: access },
    ...(ready ? [] : refuseUnless(isPresent(local))),
    ...(required ? checks : when(isPresent(local), checks)),
  ];
}

/** Shared checks for frequent optional members, by the type of the member. */
const sharedChecks: ReadonlyMap<string, PreludeName> = new Map<string, PreludeName>([
  [flatText(kindTest("string", probe)), "isOptionalString"],
  [flatText(kindTest("boolean", probe)), "isOptionalBoolean"],
  [flatText(kindTest("object", probe)), "isOptionalObject"],
]);

/** The condition of a reference to a definition that states no more than one of these types: it needs no call. */
function kindAlone(node: SchemaNode, place: Place): Expression | undefined {
  if (node.ref === undefined || assertions(node).length > 1) return undefined;
  const stated = condition(place.shapes.definition(node.ref), probe, place);
  return stated && sharedChecks.has(flatText(stated)) ? stated : undefined;
}

/** @param accepted the condition of a present member, for `probe` */
function absentOr(accepted: Expression): Expression {
  const shared = sharedChecks.get(flatText(accepted));
  return shared ? call(shared, probe) : or(isAbsent(probe), accepted);
}

function checkCount(node: SchemaNode, subject: string): Statement[] {
  const count = `Object.keys(${subject}).length`;
  return countLimits(count, node.minProperties, node.maxProperties).flatMap(refuseUnless);
}

function checkDependents(node: SchemaNode, subject: string, place: Place): Statement[] {
  const present = (name: string): Expression => isPresent(member(subject, name));
  return [
    ...[...(node.dependentRequired ?? [])].flatMap(([name, others]) =>
      when(present(name), refuseUnless(and(...others.map(present)))),
    ),
    ...[...(node.dependentSchemas ?? [])].flatMap(([name, child]) =>
      when(present(name), refuseUnless(place.under(name).conditionFor(child, subject, onlyObjects))),
    ),
  ];
}

const onlyStrings: ReadonlySet<Kind> = new Set(["string"]);

/** Checks unnamed members and member names in one loop over the keys. */
function checkKeys(node: SchemaNode, subject: string, place: Place): Statement[] {
  const { shapes } = place;
  const patterns = [...(node.patternProperties ?? [])];
  const others = node.additionalProperties;
  const describesOthers = others !== undefined && !shapes.isTrivial(others);
  const describesNames = node.propertyNames !== undefined && !shapes.isTrivial(node.propertyNames);
  const describesSome = patterns.some(([, child]) => !shapes.isTrivial(child));
  if (!describesOthers && !describesNames && !describesSome) return [];

  const key = place.scope.local("key", subject);
  const body: Statement[] = [];
  if (describesNames)
    body.push(...refuseUnless(place.under("names").conditionFor(node.propertyNames!, key, onlyStrings)));
  for (const [pattern, child] of patterns) {
    if (shapes.isTrivial(child)) continue;
    body.push(...when(patternTest(pattern, key, place), checkEntry(child, subject, key, place)));
  }
  if (describesOthers) {
    const elsewhere = and(
      not(amongTest([...(node.properties?.keys() ?? [])], key, place)),
      ...patterns.map(([pattern]) => not(patternTest(pattern, key, place))),
    );
    body.push(...whereElse(elsewhere, checkEntry(others, subject, key, place)));
  }
  if (body[0]?.kind === "return") return refuseUnless(compare(`Object.keys(${subject}).length`, "===", "0"));
  return [{ kind: "for", head: `const ${key} in ${subject}`, body }];
}

/** Runs `checks` only if `elsewhere` holds. A single rejection is merged into that condition. */
export function whereElse(elsewhere: Expression, checks: Statement[]): Statement[] {
  const [only] = checks;
  if (checks.length === 1 && only?.kind === "if" && !only.else) {
    return elsewhere.kind === "constant" ? checks : [{ ...only, test: and(elsewhere, only.test) }];
  }
  return when(elsewhere, checks);
}

export function checkEntry(node: SchemaNode, subject: string, key: string, place: Place): Statement[] {
  const entry = `${subject}[${key}]`;
  const inner = place.under("entry");
  const probed = condition(node, probe, inner);
  const ready = place.shapes.refusesUndefined(node);
  if (probed && readings(probed) <= 1 && ready) return refuseUnless(bound(probed, probe, entry));
  const local = place.scope.local("entry", subject);
  return [
    { kind: "const", name: local, value: entry },
    ...(ready ? [] : refuseUnless(not(compare(local, "===", "undefined")))),
    ...inner.check(node, local),
  ];
}
