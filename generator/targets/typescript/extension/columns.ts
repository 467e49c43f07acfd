import type { Augmented, ExtensionModel, MemberRule } from "../../../model/extension-model.js";
import type { Role } from "../../../model/model.js";
import { arrayLayout, memberLine, objectLayout } from "../../../print/code-layout.js";
import type { Layout } from "../../../print/layout.js";
import { memberKey, stringLiteral } from "../../../print/text.js";
import {
  type Facts,
  type TableEntry,
  marker,
  mark,
  pathLayout,
  requirementLayout,
} from "../methods/facts.js";

/**
 * Columns with the facts that the extension adds to its base, the same in the tables of both roles.
 *
 * @param errors rows for errors
 */
export function addedColumns(model: ExtensionModel, facts: Facts, errors: readonly string[]): string[] {
  return [
    ...(errors.length > 0 ? ["errors: {", ...errors.map((row) => `  ${row}`), "},"] : ["errors: {},"]),
    ...augmentLines(model, facts),
    memberLine(1, "declared", declaredLayout(model, facts)),
    memberLine(
      1,
      "members",
      arrayLayout(
        model.members.map((rule) => memberLayout(rule, facts)),
        true,
      ),
    ),
  ];
}

function augmentLines({ augments }: ExtensionModel, facts: Facts): string[] {
  const head = "augments: /* @__PURE__ */ byMethod<readonly AddedResult[]>({";
  if (augments.length === 0) return [`${head}}),`];
  const rows = [...byMethod(augments)].map(([method, added]) =>
    memberLine(
      2,
      memberKey(method),
      arrayLayout(
        added.map((one) => addedLayout(one, facts)),
        true,
      ),
    ),
  );
  return [head, ...rows.map((row) => `  ${row}`), "}),"];
}

function byMethod(augments: readonly Augmented[]): Map<string, Augmented[]> {
  const grouped = new Map<string, Augmented[]>();
  for (const one of augments) grouped.set(one.method.name, [...(grouped.get(one.method.name) ?? []), one]);
  return grouped;
}

function addedLayout({ result, requires }: Augmented, facts: Facts): Layout {
  return objectLayout([
    ["name", stringLiteral(facts.nameOf(result.definition))],
    facts.accepts(result.definition),
    ...marker(result),
    ...(requires ? [["requires", requirementLayout(requires)] as const] : []),
  ]);
}

/** Columns for the results that the extension adds to methods of the base, for the role that sends them. */
export function addedResults({ augments }: ExtensionModel, role: Role, facts: Facts): string[] {
  const sent = augments.filter(({ method }) => method.senders.some((sender) => sender !== role));
  return [...byMethod(sent)].map(([method, added]) => {
    const answers = added.map(({ result }) =>
      objectLayout([...facts.named(result.definition), ...mark(result)]),
    );
    return memberLine(2, memberKey(method), arrayLayout(answers, true));
  });
}

function declaredLayout({ declared }: ExtensionModel, facts: Facts): Layout {
  return objectLayout(
    (["client", "server"] as const).flatMap((role) => {
      const place = declared[role];
      if (!place) return [];
      const { path, settings } = place;
      const members: TableEntry[] = [["path", pathLayout(path)]];
      if (settings !== undefined) members.push(["settings", objectLayout(both(settings, facts))]);
      return [[role, objectLayout(members)] as const];
    }),
  );
}

function both(definition: string, facts: Facts): TableEntry[] {
  return [facts.accepts(definition), ...facts.named(definition)];
}

function memberLayout({ of, path, definition, required }: MemberRule, facts: Facts): Layout {
  return objectLayout([
    ["of", stringLiteral(of)],
    ["path", pathLayout(path)],
    ...both(definition, facts),
    ...(required ? [["required", "true"] as const] : []),
  ]);
}
