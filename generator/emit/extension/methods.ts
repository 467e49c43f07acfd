import type { Augmented, ExtensionModel, MemberRule } from "../../model/extension-model.js";
import type { Role } from "../../model/model.js";
import { arrayLayout, memberLine, objectLayout } from "../../print/code-layout.js";
import type { Layout } from "../../print/layout.js";
import { memberKey, stringLiteral } from "../../print/text.js";
import type { Emitter } from "../emitter.js";
import { localNames, ownDefinitions, sharedModule } from "../imported.js";
import { base64Members, errorRows, methodTypes, tableOf } from "../methods/emit.js";
import { Facts, type TableEntry, marker, mark, pathLayout, requirementLayout } from "../methods/facts.js";
import { typeRows } from "../methods/type-rows.js";
import type { ExtensionInput } from "./input.js";
import { extensionSteps } from "./steps.js";

const roles: readonly Role[] = ["client", "server"];

/** `methods.ts`: what an extension adds to one of its bases, for both roles, and the types of its messages. */
export const emitExtensionMethods: Emitter<ExtensionInput> = (input) => {
  const { model, previous, next, imported, folder, origin, importExtension, render } = input;
  const names = localNames(model.schema, imported);
  const facts = new Facts(model, names, imported);
  const typeOf = (definition: string): string => {
    const exported = imported.identifiers.get(definition);
    return exported === undefined ? `types.${names.get(definition)!}` : `baseTypes.${exported}`;
  };
  const { requests, notifications } = typeRows(model, typeOf);
  const view = {
    ...{ origin, importExtension, requests, notifications },
    base: model.revision,
    modules: {
      model: sharedModule(input, "model"),
      sending: sharedModule(input, "sending"),
      types: sharedModule(input, `${model.revision}/types`),
      validators: sharedModule(input, `${model.revision}/validators`),
    },
    methodTypes: roles.flatMap((role) => methodTypes(model, role)),
    common: commonLines(model, facts),
    tables: roles.map((role) => {
      const table = tableOf(model, role, facts);
      return { ...table, results: [...table.results, ...addedResults(model, role, facts)] };
    }),
    steps:
      input.fromVocabulary === "older" && next && extensionSteps(model, next)
        ? [`import { clientSteps, serverSteps } from "../${next.revision}/steps.${importExtension}";`]
        : [],
    peerSteps:
      input.fromVocabulary === "newer" && previous && extensionSteps(previous, model)
        ? [
            "import {",
            "  clientSteps as serverPeerSteps,",
            "  serverSteps as clientPeerSteps,",
            `} from "./steps.${importExtension}";`,
          ]
        : [],
    isAbove: input.fromVocabulary === "newer",
    base64: memberLine(
      1,
      "base64",
      arrayLayout(base64Members(ownDefinitions(model.schema, imported), facts), true),
    ),
  };
  const draft = render("extension-methods.ts", view);
  const uses = (module: string): boolean => new RegExp(`\\b${module}\\.\\w`).test(draft);
  const content = render("extension-methods.ts", {
    ...view,
    usesTypes: uses("types"),
    usesBaseTypes: uses("baseTypes"),
    usesValidators: uses("validators"),
    usesBaseValidators: uses("baseValidators"),
  });
  return new Map([[`${folder}/methods.ts`, { content, formatted: true }]]);
};

/** The columns of a table that are the same for both roles. */
function commonLines(model: ExtensionModel, facts: Facts): string[] {
  const errors = errorRows(model);
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
    ...facts.definition(result.definition, facts.accepts(result.definition)),
    ...marker(result),
    ...(requires ? [["requires", requirementLayout(requires)] as const] : []),
  ]);
}

/** The results that the extension adds to methods of the base, for the role that sends them. */
function addedResults({ augments }: ExtensionModel, role: Role, facts: Facts): string[] {
  const sent = augments.filter(({ method }) => method.senders.some((sender) => sender !== role));
  return [...byMethod(sent)].map(([method, added]) => {
    const answers = added.map(({ result }) =>
      objectLayout([
        ...facts.definition(result.definition, facts.exactly(result.definition)),
        ...mark(result),
      ]),
    );
    return memberLine(2, memberKey(method), arrayLayout(answers, true));
  });
}

function declaredLayout({ declared }: ExtensionModel, facts: Facts): Layout {
  return objectLayout(
    roles.flatMap((role) => {
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
  return facts.definition(definition, facts.accepts(definition), facts.exactly(definition));
}

function memberLayout({ of, path, definition, required }: MemberRule, facts: Facts): Layout {
  return objectLayout([
    ["of", stringLiteral(of)],
    ["path", pathLayout(path)],
    ...both(definition, facts),
    ...(required ? [["required", "true"] as const] : []),
  ]);
}
