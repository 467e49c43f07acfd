import type { Augmented, ExtensionModel, MemberRule } from "../../model/extension-model.js";
import { codeSpan } from "../../print/markdown.js";
import type { Emitter, ExtensionInput } from "../emitter.js";
import { ownDefinitions } from "../imported.js";
import { errorLine, headerLine, heading, methodLine, requirementText } from "../protocol-report/emit.js";
import { definitionLines } from "../protocol-report/lines.js";

/** `EXTENSION.md`: what an extension adds to a base, as lines to be compared between versions. */
export const emitExtensionReport: Emitter<ExtensionInput> = ({ model, imported, folder, origin, render }) => {
  const content = render("EXTENSION.md", {
    origin,
    id: model.id,
    base: model.revision,
    version: model.version,
    status: model.status,
    era: model.era,
    declared: declaredLines(model),
    methods: model.methods.map(methodLine),
    added: [...model.augments.map(augmentedLine), ...model.members.map(memberText)],
    channel: channelLines(model),
    errors: model.errors.map(errorLine),
    http: model.headers.map(headerLine),
    definitions: ownDefinitions(model.schema, imported).map((definition) => ({
      heading: heading(definition),
      lines: definitionLines(definition),
    })),
  });
  return new Map([[`${folder}/EXTENSION.md`, { content, formatted: true }]]);
};

function channelLines({ channel }: ExtensionModel): string[] {
  if (!channel) return [];
  const { request, confirmation } = channel.handshake;
  const confirmed = confirmation === undefined ? "" : `, confirmed by ${codeSpan(confirmation)}`;
  return [
    `opened by ${codeSpan(request)}${confirmed}`,
    ...channel.messages.map(({ method, sender, receiver }) => {
      const result = method.result?.definition;
      const answer = result === undefined ? "" : `, answered by ${codeSpan(result)}`;
      return `${codeSpan(method.name)}: ${method.kind}, ${sender} to ${receiver}, ${codeSpan(method.message)}${answer}`;
    }),
  ];
}

function declaredLines({ declared }: ExtensionModel): string[] {
  return (["client", "server"] as const).map((role) => {
    const place = declared[role];
    if (!place) return `the ${role}: nothing`;
    const settings = place.settings === undefined ? "" : `, ${codeSpan(place.settings)}`;
    return `the ${role}: ${codeSpan(place.path)}${settings}`;
  });
}

function augmentedLine({ method, result, requires }: Augmented): string {
  const { key, value } = result.discriminator ?? {};
  const mark =
    key === undefined ? "" : ` with ${codeSpan(key)}${value === undefined ? "" : ` ${codeSpan(value)}`}`;
  const needs = requires ? `, ${requirementText(requires)}` : "";
  return `${codeSpan(method.name)}: result ${codeSpan(result.definition)}${mark}${needs}`;
}

function memberText({ of, path, definition, required }: MemberRule): string {
  return `${codeSpan(of)}: ${codeSpan(path)}${required ? "" : "?"}, ${codeSpan(definition)}`;
}
