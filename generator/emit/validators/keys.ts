import type { SchemaNode } from "@mcpgen/engine";
import { probe, readings } from "./access.js";
import { condition } from "./condition.js";
import { amongTest, patternTest } from "./own.js";
import { type Expression, and, bound, compare, not } from "./expression.js";
import type { Kind } from "./kind.js";
import { type Statement, refuseUnless, when } from "./statement.js";
import type { Place } from "./unit.js";

const onlyStrings: ReadonlySet<Kind> = new Set(["string"]);

/** Checks the keywords of `node` about members that it does not name, and about names, in one pass over the keys. */
export function checkKeys(node: SchemaNode, subject: string, place: Place): Statement[] {
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

/** `checks` where `elsewhere` holds. A lone refusal joins the condition it stands under. */
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
