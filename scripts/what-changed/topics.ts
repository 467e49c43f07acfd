import type { ReportedFinding } from "../../generator/diff/report/report.js";

/** A subject that docs/what-changed-2026-07-28.md explains under a heading. */
export interface Topic {
  /** The anchor of the heading. */
  readonly id: string;
  readonly holds: (subject: Subject) => boolean;
}

/**
 * The subject of a finding: `name` is a method and the name of the affected type, or a definition and the
 * path of its member.
 */
interface Subject {
  readonly rule: string;
  readonly name: string;
}

const named =
  (pattern: RegExp) =>
  ({ name }: Subject) =>
    pattern.test(name);

/** The topics, in order: a finding belongs to the first one that accepts it. */
export const topics: readonly Topic[] = [
  { id: "deprecated", holds: ({ rule }) => rule === "deprecated-added" },
  { id: "only-the-types", holds: ({ rule }) => /^(definition-|unreachable-)/.test(rule) },
  { id: "error-codes", holds: ({ rule }) => rule.startsWith("error-") },
  { id: "tasks", holds: named(/task|Tool\.execution/i) },
  { id: "no-handshake-and-no-session", holds: named(/^(initialize|notifications\/initialized|ping)\b/) },
  { id: "discovery", holds: named(/^server\/discover/) },
  {
    id: "subscriptions",
    holds: named(
      /^(resources\/(un)?subscribe|subscriptions\/|notifications\/subscriptions\/)|subscriptionId$/,
    ),
  },
  { id: "log-levels", holds: named(/^logging\/setLevel|logLevel$/) },
  {
    id: "metadata-in-every-request",
    holds: ({ rule, name }) =>
      /^(Request|Result)MetaObject\.|^RequestParams\._meta/.test(name) ||
      (rule.endsWith("became-required") && /\.(_meta|params)$/.test(name)),
  },
  { id: "every-result-names-its-type", holds: named(/\.resultType$/) },
  { id: "results-that-can-be-cached", holds: named(/\.(ttlMs|cacheScope)$/) },
  {
    id: "requests-of-servers-become-rounds",
    holds: named(
      /^(elicitation|roots|sampling)\/|^(prompts\/get|resources\/read|tools\/call) |\.(inputResponses|requestState)$|^(Elicit|ListRoots|CreateMessage)\w+\._meta$|elicitationId$|elicitation\/complete|roots(\.|\/)list_?changed/i,
    ),
  },
  { id: "progress-and-cancellation", holds: named(/^notifications\/progress|^CancelledNotification/) },
  { id: "schemas-and-structured-content", holds: named(/^Tool\.(in|out)putSchema|structuredContent$/) },
  { id: "completions", holds: named(/^CompleteResult\.completion/) },
  { id: "extensions", holds: named(/Capabilities\.extensions$/) },
];

type TopicKeys = Pick<ReportedFinding, "rule" | "subject" | "old" | "new">;

/** Returns the topic of a finding; undefined if the page does not explain it. */
export function topicOf(finding: TopicKeys): Topic | undefined {
  const { rule, subject, old, new: next } = finding;
  const name =
    "method" in subject ? `${subject.method} ${old ?? next}` : `${subject.definition}.${subject.path}`;
  return topics.find(({ holds }) => holds({ rule, name }));
}
