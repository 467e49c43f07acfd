import type { Finding } from "./finding.js";
import { isOneFinding } from "./rules/table.js";

/** Findings about the same change at different places, under a name they share. */
export function grouped(findings: readonly Finding[]): Finding[] {
  const names = findings.map(groupName);
  const count = new Map<string, number>();
  for (const name of names) if (name !== undefined) count.set(name, (count.get(name) ?? 0) + 1);
  return findings.map((finding, index) => {
    const name = names[index];
    return name === undefined || count.get(name)! < 2 ? finding : { ...finding, group: name };
  });
}

function groupName({ subject, rule, old, new: next }: Finding): string | undefined {
  if (isOneFinding(rule)) return rule;
  if ("method" in subject) {
    const shape = rule.startsWith("result-") ? [old, next] : [];
    return [rule, ...shape, "from", subject.from].filter((part) => part !== null).join(" ");
  }
  if (subject.member !== undefined) return [rule, "of", subject.definition, subject.path].join(" ").trim();
  const property = subject.path.split(".").at(-1)!;
  if (property === "") return undefined;
  return (
    metaName(subject.definition, subject.path) ?? [rule, property, old, next].filter((part) => part).join(" ")
  );
}

/** Keys of a metadata object form one group: they reach every message that has it. */
function metaName(definition: string, path: string): string | undefined {
  const whole = /^(.*)Meta(?:Object)?$/.exec(definition)?.[1];
  const kind =
    whole ??
    (/(?:^|\.)_meta$/.test(path) ? /(Request|Result|Notification)/.exec(definition)?.[1] : undefined);
  if (kind === undefined) return undefined;
  const words = kind.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  return [...words.map((word) => word.toLowerCase()), "meta"].join("-");
}
