import type { Finding } from "../../../diagnostics/finding.js";
import { generateFiles } from "../../../pipeline/generate.js";
import { published } from "../../../model/published.js";
import { counted as amount } from "../../../print/counted.js";
import { markdownText, oneLineCode } from "../../../print/markdown.js";
import { readLock } from "../../../revision/lock.js";
import { Arguments } from "../../arguments.js";
import { columns } from "../../columns.js";
import type { CommandContext } from "../../context.js";
import { outputRequest } from "../../output-request.js";
import type { Project } from "../../project.js";
import { shownPath } from "../../shown-path.js";
import type { StagedUpgrade } from "../stage.js";
import { type Output, rehearse } from "./rehearse.js";
import { type ProjectTypes, generatedErrors, projectErrors } from "./types.js";
import { type Served, type Understanding, understandings } from "./verdict.js";

/** What a revision would bring: nothing of it is written. */
export interface Rehearsal {
  /** The revision in whose words handlers and calls are written. */
  readonly vocabulary: string;
  readonly revisions: readonly Understanding[];
  /** Errors of types in the new output. */
  readonly generated: readonly Finding[];
  readonly project: ProjectTypes;
}

/**
 * Tries a staged revision: checks the types of the new output, and of the project against it, and lets a server and a client
 * of every pair of revisions talk, before and after.
 */
export async function tryUpgrade(
  staged: StagedUpgrade,
  project: Project,
  context: CommandContext,
): Promise<Rehearsal> {
  const { generated } = staged.comparison;
  const { directory, console } = context;
  const { importExtension } = staged;
  const shown = (path: string): string => shownPath(path, directory);
  console.progress("checking types…");
  const wrong = generatedErrors(generated.files, importExtension, (path) =>
    shownPath(project.outDir, directory, path),
  );
  const types = projectErrors(project.loaded.folder, project.outDir, generated.files, shown);
  console.progress("talking…");
  const before = await outputBefore(staged, project, context);
  const vocabulary = vocabularyOf(before ?? generated);
  const [earlier, now] = await Promise.all([
    before ? rehearse(before, vocabulary) : [],
    rehearse(generated, vocabulary),
  ]);
  return {
    vocabulary,
    revisions: understandings(earlier, now, vocabulary),
    generated: wrong,
    project: types,
  };
}

/** The words of the output: those that its module `listed` names, else those of the newest finished revision. */
function vocabularyOf({ files, models }: Output): string {
  const named = /export const vocabulary[^=]*= "([^"]+)"/.exec(files.get("listed.ts") ?? "")?.[1];
  return named ?? published(models).at(-1)?.revision ?? models.at(-1)!.revision;
}

/** What is generated without the new revision; `undefined` where there is no other. */
async function outputBefore(
  staged: StagedUpgrade,
  project: Project,
  { directory }: CommandContext,
): Promise<Output | undefined> {
  if (readLock(project.schemaDir).size === 0) return undefined;
  const { request } = outputRequest(new Arguments({}), project, directory);
  const { fingerprints, files } = staged.comparison.generated;
  return generateFiles({
    ...request,
    // Revisions that the new one does not touch are made already.
    reuse: (revision, fingerprint) =>
      fingerprints.get(revision) === fingerprint
        ? new Map([...files].filter(([path]) => path.startsWith(`${revision}/`)))
        : undefined,
  });
}

/** What is worse than before, or was never right. */
export function rehearsalFindings({ revisions, generated, project }: Rehearsal): Finding[] {
  const found = revisions.flatMap(({ revision, client, server }) => [
    ...findingsOf(`a client of ${revision}`, client),
    ...findingsOf(`a server of ${revision}`, server),
  ]);
  return [...generated, ...project.errors, ...found];
}

/** Details that one finding shows. */
const mostShown = 8;

function findingsOf(peer: string, { noLonger, invalid }: Served): Finding[] {
  const finding = (message: string, lines: readonly string[]): Finding[] => {
    if (lines.length === 0) return [];
    const rest = lines.length - mostShown;
    const shown = rest > 0 ? [...lines.slice(0, mostShown), `… ${rest} more (--json)`] : lines;
    return [{ code: "MG3114", severity: "error", message, detail: shown.join("\n") }];
  };
  return [
    ...finding(
      `${peer} is no longer served: ${amount(noLonger.length, "call")} of those that were`,
      noLonger.map(({ call, why }) => `${call}: ${why}`),
    ),
    ...finding(
      `${amount(invalid.length, "message")} with ${peer} ${invalid.length === 1 ? "is" : "are"} not of its revision`,
      invalid,
    ),
  ];
}

const heads = ["revision", "its client, our server", "our client, its server", "lost", "refused", "wrong"];

/** The table: who understands whom, and what is lost; then each loss and each refusal. */
export function rehearsalText(rehearsal: Rehearsal, verbose: boolean): string {
  return [
    titleOf(rehearsal),
    "",
    columns([heads, ...rowsOf(rehearsal)]),
    ...partsOf(rehearsal, verbose).flatMap(({ title, lines }) => [
      "",
      title,
      ...lines.map((line) => `  ${line}`),
    ]),
  ].join("\n");
}

/** The same for a pull request. */
export function rehearsalMarkdown(rehearsal: Rehearsal): string {
  const row = (cells: readonly string[]): string => `| ${cells.map(markdownText).join(" | ")} |`;
  return [
    `# ${titleOf(rehearsal)}`,
    [row(heads), row(heads.map(() => "---")), ...rowsOf(rehearsal).map(row)].join("\n"),
    ...partsOf(rehearsal, true).flatMap(({ title, lines }) => [
      `## ${markdownText(title)}`,
      ...(lines.length > 0 ? [lines.map((line) => `- ${oneLineCode(line)}`).join("\n")] : []),
    ]),
  ].join("\n\n");
}

function titleOf({ vocabulary }: Rehearsal): string {
  return `Who understands whom, with handlers and calls in the words of ${vocabulary}`;
}

function rowsOf({ revisions }: Rehearsal): string[][] {
  return revisions.map(({ revision, client, server }) => {
    const sum = (count: (side: Served) => number): string => String(count(client) + count(server));
    return [
      ...[revision, servedText(client), servedText(server)],
      ...[
        sum(({ losses }) => losses.length),
        sum(({ refused }) => refused.length),
        sum(({ invalid }) => invalid.length),
      ],
    ];
  });
}

interface Part {
  readonly title: string;
  readonly lines: readonly string[];
}

function partsOf({ revisions, project }: Rehearsal, verbose: boolean): Part[] {
  const unchecked = project.unchecked;
  return [
    ...revisions.flatMap(({ revision, client, server }) => [
      ...detailsOf(`With a client of ${revision}`, client, verbose),
      ...detailsOf(`With a server of ${revision}`, server, verbose),
    ]),
    ...(unchecked === undefined ? [] : [{ title: `The project is not checked: ${unchecked}.`, lines: [] }]),
  ];
}

function servedText({ served, made }: Served): string {
  return made === 0 ? "no conversation" : `${served} of ${made}`;
}

function detailsOf(title: string, { losses, refused }: Served, verbose: boolean): Part[] {
  const lost = losses.map(
    ({ method, pointer, how, count }) =>
      `${method} ${pointer || "(whole)"}: ${how}${count > 1 ? `, ${count} times` : ""}`,
  );
  const all = [...lost, ...refused.map(({ call, why }) => `${call}: refused, ${why}`)];
  const lines = verbose ? all : all.slice(0, mostShown);
  const rest = all.length - lines.length;
  return all.length === 0
    ? []
    : [{ title, lines: rest > 0 ? [...lines, `… ${rest} more (--verbose)`] : lines }];
}
