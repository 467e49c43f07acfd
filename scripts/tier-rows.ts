// What the SDK tiers of the protocol (SEP-1730) ask of tier 1, and what of it this repository has. The lists are
// those of docs/community/sdk-tiers.mdx in modelcontextprotocol/modelcontextprotocol, and of feature-list.md and
// src/tier-check/ in modelcontextprotocol/conformance.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface TierRow {
  readonly requirement: string;
  readonly state: "met" | "not met" | "needs a person";
  /** The file that has it, or what is missing. */
  readonly where: string;
}

/** The 48 features that are not experimental; `/` separates those of one area. */
const areas: Readonly<Record<string, string>> = {
  "Tools - ":
    "listing/calling/text results/image results/audio results/embedded resources/error handling/change notifications",
  "Resources - ":
    "listing/reading text/reading binary/templates/template reading/subscribing/unsubscribing/change notifications",
  "Prompts - ":
    "listing/getting simple/getting with arguments/embedded resources/image content/change notifications",
  "Sampling - ": "creating messages",
  "Elicitation - ": "form mode/URL mode/schema validation/default values/enum values/complete notification",
  "Roots - ": "listing/change notifications",
  "Logging - ": "sending log messages/setting level",
  "Completions - ": "resource argument/prompt argument",
  "Streamable HTTP transport ": "(client)/(server)",
  "SSE transport - legacy ": "(client)/(server)",
  "stdio transport ": "(client)/(server)",
  "": "Ping/Progress notifications/Cancellation/Pagination/Capability negotiation/Protocol version negotiation/JSON Schema 2020-12 support",
};
export const features = Object.entries(areas).flatMap(([area, names]) =>
  names.split("/").map((name) => area + name),
);

/** The labels by which the programme measures response times: types, states, priorities. */
const labels = [
  ...["bug", "enhancement", "question"],
  ...["needs confirmation", "needs repro", "ready for work", "good first issue", "help wanted"],
  ...["P0", "P1", "P2", "P3"],
];

/** Files, and the texts that each must contain: requirement, file, texts. */
const files: readonly (readonly [string, string, readonly string[]])[] = [
  ["conformance: the suite runs", "package.json", ['"test:conformance"']],
  ["conformance: each check is listed", "test/portability/conformance-checks.json", ['"server 2026-07-28"']],
  ["labels", ".github/labels.yml", labels.map((name) => `name: ${name},`)],
  ["issue template: faults", ".github/ISSUE_TEMPLATE/bug.yml", ["labels: [bug", "Versions"]],
  ["issue template: wishes", ".github/ISSUE_TEMPLATE/wish.yml", ["labels: [enhancement"]],
  ["issue template: vulnerabilities", ".github/ISSUE_TEMPLATE/config.yml", ["security/policy"]],
  ["pull request template", ".github/pull_request_template.md", ["- [ ] "]],
  [
    "triage: times and P0 are defined",
    "CONTRIBUTING.md",
    ["\n## Issues\n", "two business days", "seven days"],
  ],
  ["security policy", "SECURITY.md", ["\n## Report a vulnerability\n", "\n## Supported versions\n"]],
  ["versioning: the scheme", "docs/versioning.md", ["https://semver.org", "\n## Releases\n"]],
  ["versioning: what is breaking", "docs/versioning.md", ["**breaking**", "CHANGELOG.md"]],
  ["versioning: support, deprecation", "docs/versioning.md", ["\n## Support\n", "@deprecated"]],
  ["versioning: protocol revisions", "docs/versioning.md", ["\n## Protocol revisions\n"]],
  ["changelog", "CHANGELOG.md", ["\n## "]],
  ["dependency policy: text", "docs/versioning.md", ["\n## Dependencies\n"]],
  ["dependency policy: updates", ".github/dependabot.yml", ["ecosystem: npm", "ecosystem: github-actions"]],
  ["roadmap", "ROADMAP.md", ["| next |", "\n## The protocol\n"]],
];

/** What only people can do or see: requirement, what it takes. */
const people: readonly (readonly [string, string])[] = [
  [
    "conformance: 100 % of the published release",
    "npm run test:conformance; the tier-check of the programme",
  ],
  ["new features before a revision is released", "a release in time"],
  ["triage within two business days (90 %)", "the labels of issues"],
  ["critical faults closed within seven days", "issues with P0"],
  ["labels exist at the repository's host", "apply .github/labels.yml"],
  ["tier 1 granted", "an issue with evidence; the SDK working group decides"],
];

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

/** The id of a heading, as links write it. */
function idOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** The code blocks between a heading and the next one. */
function codeBelow(page: string, id: string): string {
  let inside = false;
  let fenced = false;
  const code: string[] = [];
  for (const line of textOf(page).split("\n")) {
    if (line.startsWith("```")) fenced = !fenced;
    else if (fenced && inside) code.push(line);
    else if (!fenced && /^#+ /.test(line)) inside = idOf(line.replace(/^#+ /, "")) === id;
  }
  return code.join("\n");
}

/** The section of an example must have a code block with the named code. */
function exampleRow(feature: string, page: string): TierRow {
  const requirement = `example: ${feature}`;
  const row = page.split("\n").find((line) => line.startsWith(`|${feature}|`)) ?? "";
  const [, file, id, code] = /\]\(([^)#]+)#([^)]+)\)\|`(.+)`\|$/.exec(row) ?? [];
  if (file === undefined)
    return { requirement, state: "not met", where: "docs/features.md names no example" };
  const where = `${join("docs", file)}#${id!}`;
  if (codeBelow(join("docs", file), id!).includes(code!)) return { requirement, state: "met", where };
  return { requirement, state: "not met", where: `${where} has no code with ${code!}` };
}

function fileRow(requirement: string, file: string, texts: readonly string[]): TierRow {
  if (!existsSync(file)) return { requirement, state: "not met", where: `${file} is missing` };
  const text = textOf(file);
  const missing = texts.filter((wanted) => !text.includes(wanted)).map((wanted) => wanted.trim());
  if (missing.length === 0) return { requirement, state: "met", where: file };
  return { requirement, state: "not met", where: `${file} lacks ${missing.join(", ")}` };
}

/** Each requirement of tier 1, in the working directory. */
export function tierRows(): TierRow[] {
  const page = textOf("docs/features.md");
  const { version } = JSON.parse(textOf("package.json")) as { version: string };
  const release = ["a stable release is published", `1.0.0 or later; package.json has ${version}`] as const;
  return [
    ...files.map(([requirement, file, texts]) => fileRow(requirement, file, texts)),
    ...features.map((feature) => exampleRow(feature, page)),
    ...[...people, release].map(([requirement, where]): TierRow => ({
      requirement,
      state: "needs a person",
      where,
    })),
  ];
}
