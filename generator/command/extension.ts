import { basename } from "node:path";
import { type Finding, CodedError } from "../diagnostics/coded-error.js";
import {
  type AddExtensionRequest,
  type StagedExtension,
  addExtension,
  messageForm,
  stageExtension,
} from "../extension/add/add.js";
import type { Sender } from "../extension/add/new-notes.js";
import type { Question } from "../extension/add/questions.js";
import {
  extensionId,
  readExtensionFile,
  extensionFolder,
  extensionKey,
  filesOf,
  storedExtensions,
  expectExtension,
  verifyExtensions,
} from "../extension/extension-store.js";
import { readSource } from "../files/source.js";
import { counted, firstLines, shownPath, columns } from "../print/terminal-text.js";
import { readExtensionLock, usesOwnRevisions } from "../revision/lock.js";
import { readUpstream } from "../revision/schema-source.js";
import type { Arguments, CommandContext, RunCommand } from "./command.js";
import { type Project, openProject, schemaRoot } from "./project.js";
import { carriedLine, droppedNotes, expectForm, noSource, originOptions, storeOutcome } from "./revision.js";
import { loadJson } from "../files/json-file.js";
import { removeExtension, stageRemoval } from "../extension/remove.js";
import { verifyExtensionFile } from "../extension/add/verify-upstream.js";

export const extensionAdd: RunCommand = async (args, context) => {
  const project = await openProject(args, context);
  const isRehearsal = args.flag("dry-run");
  const root = schemaRoot(project);
  const request = await requestOf(args, project.schemaDir, context);
  const added = await (isRehearsal ? stageExtension(request) : addExtension(request, root));
  const { id, version, action, bases, canonical, methods, questions, assumptions, locked, notes } = added;
  const { dropped, folds, reopened, extending, document } = canonical;
  return {
    findings: [
      ...notesFindings(added),
      ...withoutMessages(added),
      ...questions.map((question) => questionFinding(question, added, placeOf(added, project, context))),
    ],
    text: resultText(added, isRehearsal, context.console.settings.verbose),
    ...(action !== "unchanged" &&
      !isRehearsal && {
        summary: `Next: \`mcpgen generate\`, then read the difference. For a new server: \`mcpgen init server --extension ${id}\`.`,
      }),
    data: {
      ...{ id, version, action, bases, locked, questions, assumptions },
      dryRun: isRehearsal,
      definitions: Object.keys(document["$defs"] as object),
      methods: methods.map(({ name, kind, message, result }) => ({
        ...{ name, kind, message },
        ...(result?.definition !== undefined && { result: result.definition }),
      })),
      dropped,
      folds,
      extends: extending,
      reopened,
      notes: { from: notes.from, carried: notes.carried, dropped: notes.dropped },
    },
  };
};

async function requestOf(
  args: Arguments,
  schemaDir: string,
  context: CommandContext,
): Promise<AddExtensionRequest> {
  const id = args.required("id");
  // Reject an invalid id before the download.
  extensionId(id);
  const source = args.required("source");
  const notes = args.string("notes");
  if (notes === "-" && source === "-")
    throw new CodedError("MG2005", "- can be given once, got it for SOURCE and for --notes", {
      next: "Standard input is one document; name a file for the other.",
    });
  const bases = args.strings("base");
  const version = args.string("version");
  const url = expectForm(args, "upstream-url", /^https?:\/\/\S+$/, "an http(s) URL");
  return {
    ...{ schemaDir, id, ...originOptions(args) },
    source: await readUpstream(source, context),
    ...(bases && { bases }),
    ...(version !== undefined && { version }),
    ...(notes !== undefined && { notes: await readSource(notes, context) }),
    ...sendersOf(args),
    ...(url !== undefined && { url }),
    descriptions: !args.flag("no-descriptions"),
  };
}

function resultText(added: StagedExtension, isRehearsal: boolean, verbose: boolean): string {
  const { id, version, bases, canonical, methods, notes, assumptions } = added;
  const { dropped, folds, extending, reopened, document } = canonical;
  const action = isRehearsal && added.action !== "unchanged" ? `would be ${added.action}` : added.action;
  const own = Object.keys(document["$defs"] as object).length;
  const ofBase = folds.filter(({ of }) => of === "base").length;
  const lines = [
    `${id}@${version}: ${action}, ${added.locked.status}, over ${bases.join(", ")}`,
    `  ${counted(own, "own definition")}; ${dropped.length} left out, which the base has`,
    `  ${counted(folds.length, "copy", "copies")} folded into references: ${ofBase} of definitions of the base, ${folds.length - ofBase} of own definitions`,
    `  ${counted(extending.length, "definition")} extending others, ${counted(reopened.length, "closed object")} reopened`,
    `  ${counted(methods.length, "method")}: ${methods.map(({ name }) => name).join(", ") || "none"}`,
    ...carriedLine(notes).map((line) => `  ${line}`),
  ];
  const assumed = assumptions.map(({ kind, subject, text }) => `assumed (${kind} of ${subject}): ${text}`);
  return [...lines, ...firstLines(assumed, verbose ? Infinity : 8, " (--verbose)")].join("\n");
}

/** The extension's folder, as messages show it. */
function placeOf(added: StagedExtension, { schemaDir }: Project, { directory }: CommandContext): string {
  return shownPath(extensionFolder(schemaDir, added), directory);
}

function questionFinding(
  { kind, subjects, text, answer }: Question,
  { id, version }: StagedExtension,
  folder: string,
): Finding {
  const file = kind === "settings" ? "extension.json" : "notes.json";
  return {
    code: "MG1308",
    severity: "warning",
    message: `${id}@${version}: ${text}`,
    place: { file: `${folder}/${file}` },
    next: `Write in ${file}: ${JSON.stringify(answer)}${kind === "sender" ? senderOptions(subjects) : ""}`,
  };
}

/** Advice: the `--sender` options that replace a note of kind `sender`. */
function senderOptions(methods: readonly string[]): string {
  const options = methods.map((method) => `--sender ${method}=client|server|both`);
  return `. Or repeat the command with ${options.join(" ")}`;
}

/** @throws CodedError MG2004 for a value that is not METHOD=SIDE, or a method with two different sides */
function sendersOf(args: Arguments): Pick<AddExtensionRequest, "senders"> {
  const given = args.strings("sender");
  if (given === undefined) return {};
  const senders = given.map((text): [string, Sender] => {
    const [, method, side] = /^(.+)=(client|server|both)$/.exec(text) ?? [];
    if (method !== undefined) return [method, side as Sender];
    throw new CodedError(
      "MG2004",
      `expected --sender METHOD=client|server|both, got ${JSON.stringify(text)}`,
      {
        next: "Write the method, =, and the side that sends it, e.g. --sender search/find=client.",
      },
    );
  });
  const named = new Map<string, Sender>();
  for (const [method, side] of senders) {
    const other = named.get(method) ?? side;
    if (other !== side)
      throw new CodedError("MG2004", `--sender: ${method} is sent by ${other}, and by ${side}`, {
        next: `Write one of them; for both sides: --sender ${method}=both.`,
      });
    named.set(method, side);
  }
  return { senders: named };
}

/** Warning for a schema in which no definition describes a message. */
function withoutMessages({ id, version, methods }: StagedExtension): Finding[] {
  if (methods.length > 0) return [];
  return [
    {
      code: "MG1111",
      severity: "warning",
      message: `${id}@${version}: no definition describes a message`,
      next: `Write ${messageForm}. Leave the schema as it is if the extension adds settings, results or members alone.`,
    },
  ];
}

function notesFindings({ id, version, notes }: StagedExtension): Finding[] {
  const said =
    notes.from === undefined
      ? `a note of ${id}@${version} is about nothing`
      : `a note was not carried over to ${id}@${version}`;
  return droppedNotes(notes.dropped, said);
}

export const extensionList: RunCommand = async (args, context) => {
  const { schemaDir } = await openProject(args, context);
  const lock = readExtensionLock(schemaDir);
  const extensions = await Promise.all(
    storedExtensions(schemaDir).map(async (stored) => {
      const { bases, status } = await readExtensionFile(await loadJson(filesOf(stored).extension));
      const { id, version } = stored;
      return { id, version, status, bases, locked: lock.get(extensionKey(stored)) };
    }),
  );
  const rows = extensions.map(({ id, version, status, bases, locked }) => [
    ...[id, version, status, bases.join(" ")],
    ...[locked?.upstream?.date ?? "", locked?.upstream?.commit?.slice(0, 12) ?? ""],
  ]);
  const heading = ["extension", "version", "status", "bases", "upstream", "commit"];
  return {
    text:
      rows.length === 0
        ? "no extensions; `mcpgen extension add FILE --id ID --base REVISION` brings one in"
        : columns([heading, ...rows]),
    data: { extensions },
  };
};

export const extensionRemove: RunCommand = async (args, context) => {
  const project = await openProject(args, context);
  const isRehearsal = args.flag("dry-run");
  const wanted = args.required("extension");
  const { extension, files } = isRehearsal
    ? await stageRemoval(project.schemaDir, wanted)
    : await removeExtension(project.schemaDir, wanted, schemaRoot(project));
  const { id, version } = extension;
  const verb = isRehearsal ? "would be removed" : "removed";
  return {
    text: `${extensionKey(extension)}: ${verb}, ${counted(files.length, "file")}`,
    ...(!isRehearsal && { summary: nextStep(project) }),
    data: { id, version, files, dryRun: isRehearsal },
  };
};

function nextStep({ schemaDir, outDir }: Project): string {
  const isLast = usesOwnRevisions(schemaDir) && storedExtensions(schemaDir).length === 0;
  if (!isLast) return "Next: `mcpgen generate`, which removes what was generated from it.";
  return `The schema folder is empty now: if ${basename(outDir)} has files of the extension, delete them.`;
}

export const extensionVerify: RunCommand = async (args, context) => {
  const { schemaDir } = await openProject(args, context);
  const name = args.string("extension");
  const source = args.string("source");
  if (name === undefined)
    return storeOutcome(
      await verifyExtensions(schemaDir),
      "extension",
      storedExtensions(schemaDir).map(extensionKey),
    );
  const stored = expectExtension(schemaDir, name);
  const key = extensionKey(stored);
  if (source === undefined) throw noSource("extension", key);
  const verdict = await verifyExtensionFile(schemaDir, stored, await readUpstream(source, context));
  const { relation, locked, added, removed } = verdict;
  const data = { id: stored.id, version: stored.version, relation, locked, added, removed };
  if (relation === "same-file") return { text: `${key}: same file`, data };
  const changes = `${counted(added.length, "definition")} added, ${removed.length} removed`;
  const finding: Finding = {
    code: "MG3108",
    severity: "error",
    place: { file: source },
    message:
      relation === "same-meaning"
        ? `the file is not the one that was added, but its canonical form equals that of ${key}`
        : `the file is not the one that was added: its canonical form differs from that of ${key} (${changes})`,
    next: `To store it: \`mcpgen extension add FILE --id ${stored.id} --version ${stored.version} --replace\`, or under another version.`,
  };
  return { findings: [finding], data };
};
