import { dirname, resolve } from "node:path";
import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import { type Captured, capture as captureFrom } from "../capture/capture.js";
import { type ServerSource, shownSource } from "../capture/server-source.js";
import { withServer } from "../capture/with-server.js";
import {
  type Asked,
  type Contract,
  type ContractList,
  contractFileName,
  nouns,
} from "../contract/contract.js";
import { readableTemplates } from "../contract/emit/readable-templates.js";
import { ignoredWarnings, readToolSchemas, untypedWarning } from "../contract/emit/tool-schemas.js";
import { bothAsked, mergedContract } from "../contract/incomplete-lists.js";
import { withUnlistedOf } from "../contract/scopes.js";
import { withTasksOf } from "../contract/tasks.js";
import { type Place, type Finding, CodedError } from "../diagnostics/coded-error.js";
import { readTextIfPresent } from "../files/regular-file.js";
import { WriteRoot } from "../files/held-folder.js";
import { putText } from "../files/writer.js";
import {
  type Arguments,
  type CommandContext,
  type RunCommand,
  type Outcome,
  findingText,
} from "./command.js";
import { incompleteFindings, leftOutFinding } from "./capture/left-out.js";
import { counted, shownPath } from "../print/terminal-text.js";
import { openProject } from "./project.js";
import { expectReach, serverOptions } from "./server-options.js";
import { serverSource } from "./servers/named-servers.js";
import { nameAdvice } from "../diagnostics/suggest.js";
import { readPairs } from "./call/pairs.js";
import { storedExtensions } from "../extension/extension-store.js";
import { contractText, loadContract } from "../contract/read-contract.js";

export const capture: RunCommand = async (args, context) => {
  const source = await serverSource(args.required("source"), args, context);
  const { file, root } = await wantedFile(args, context);
  const wanted = askedOf(args);
  const options = serverOptions(args, context);
  expectReach(args, source, context.directory);
  context.console.progress(`asking ${shownSource(source)}`);
  const stray: string[] = [];
  const hearing = { ...options, onStray: (what: string) => stray.push(what) };
  const before = await presentContract(file);
  const known = args.flag("all") ? undefined : before;
  const offered = await withServer(source, hearing, (client) =>
    captureFrom(client, options.timeout === undefined ? {} : { timeout: options.timeout }, {
      asked: requestsFor(wanted, known),
      known,
    }),
  );
  const captured = { ...offered, contract: withKnown(offered, before, known) };
  const findings = [
    ...stray.map((what) => strayFinding(what, source)),
    ...captured.leftOut.map((entry) => leftOutFinding(entry, source)),
    ...namelessFinding(captured, source),
    ...unreadFindings(captured, source),
    ...incompleteFindings(captured, source),
  ];
  const extensions = await declaredExtensions(captured.contract, args, context);
  if (file === "-") return printed(captured, extensions, findings, context);
  const shown = shownPath(file, context.directory);
  const text = await contractText(captured.contract, file);
  const isPartial = captured.incomplete.length > 0;
  if (isPartial && known && args.flag("replace")) await expectNoLoss(offered, known, { file, shown });
  const merges = isPartial && known?.name === captured.contract.name;
  const done = putText(root, file, text, () =>
    merges || args.flag("replace") ? undefined : otherContent(shown),
  );
  return {
    findings,
    ...(extensions.length > 0 && { text: extensionLines(extensions).join("\n") }),
    summary: `${shown}: ${done}; ${summary(offered)}${keptText(offered.contract, captured.contract)}`,
    data: { file: shown, written: done === "written", ...about(offered), extensions },
  };
};

/**
 * @throws CodedError MG6330 if replacing would delete entries that the server's incomplete lists do not name
 */
async function expectNoLoss(
  offered: Captured,
  before: Contract,
  { file, shown }: { readonly file: string; readonly shown: string },
): Promise<void> {
  if (readTextIfPresent(file) === (await contractText(withKnown(offered, before, undefined), file))) return;
  throw new CodedError("MG6330", "the server leaves entries out of its lists, which --replace would delete", {
    place: { file: shown },
    next: "Leave --replace out: what the server lists is merged into the file; or add --all.",
  });
}

/** The contract in the file; undefined if there is no file or it cannot be read. */
async function presentContract(file: string): Promise<Contract | undefined> {
  if (file === "-" || readTextIfPresent(file) === undefined) return undefined;
  return (await loadContract(file).catch(() => undefined))?.contract;
}

/** Says how many entries remain in the file although the server did not list them. */
function keptText(offered: Contract, merged: Contract): string {
  const count = (contract: Contract): number =>
    names.reduce((sum, list) => sum + (contract[list]?.length ?? 0), 0);
  const kept = count(merged) - count(offered);
  return kept === 0
    ? ""
    : `; ${counted(kept, "entry", "entries")} that it did not list ${kept === 1 ? "stays" : "stay"}`;
}

/**
 * The list requests to send: those of `--ask`, and those recorded in an incomplete contract, so that its
 * entries are listed again.
 */
function requestsFor(wanted: Asked, known: Contract | undefined): Asked {
  const again = known?.complete === false ? (known.asked ?? {}) : {};
  return bothAsked(again, {
    ...Object.fromEntries(Object.keys(again).map((list) => [list, [{}]])),
    ...wanted,
  });
}

/**
 * Adds facts that only the earlier contract has: scopes and tasks, which no server lists, and entries that
 * incomplete lists may omit.
 */
export function withKnown(
  { contract, gone = {} }: Pick<Captured, "contract"> & Partial<Pick<Captured, "gone">>,
  before: Contract | undefined,
  known: Contract | undefined,
): Contract {
  const all = known && known.name === contract.name ? mergedContract(known, contract, gone) : contract;
  return before ? withTasksOf(withUnlistedOf(all, before), before) : all;
}

/**
 * Chooses the file for the contract: `--out`, else the only contract of the configuration, else the default
 * name.
 */
async function wantedFile(
  args: Arguments,
  context: CommandContext,
): Promise<{ readonly file: string; readonly root: WriteRoot }> {
  const { directory } = context;
  const out = args.string("out");
  if (out === "-") return { file: out, root: WriteRoot.project(directory) };
  const loaded = out === undefined ? (await openProject(args, context)).loaded : undefined;
  const [only, another] = loaded?.config.contracts ?? [];
  if (loaded && only && !another) {
    const file = resolve(loaded.folder, only.file);
    return { file, root: WriteRoot.ofProject(dirname(file), loaded.folder) };
  }
  const file = resolve(directory, out ?? contractFileName);
  return { file, root: WriteRoot.ofFile(file, directory) };
}

/** Standard output holds only the contract. */
async function printed(
  captured: Captured,
  extensions: readonly DeclaredExtension[],
  findings: readonly Finding[],
  { console }: CommandContext,
): Promise<Outcome> {
  if (console.settings.format === "json")
    return { findings, data: { ...about(captured), extensions, contract: captured.contract } };
  console.result(await contractText(captured.contract, "-"));
  for (const finding of findings) console.error(findingText(finding, console.paintError));
  for (const line of [summary(captured), ...extensionLines(extensions)]) console.note(line);
  return { failed: findings.some(({ severity }) => severity === "error") };
}

function otherContent(shown: string): CodedError {
  return new CodedError("MG6302", "the file already exists, with other content", {
    place: { file: shown },
    next: "Look at it, then repeat with --replace; or name another file with --out.",
  });
}

/**
 * Warnings for schemas and URI templates that cannot be read. Clients generated from the contract lack types
 * for them.
 */
function unreadFindings({ contract }: Captured, source: ServerSource): Finding[] {
  const place = (pointer: string): Place => ({ file: shownSource(source), pointer });
  const unread = readToolSchemas(contract).flatMap((tool) => tool.unread);
  return [
    ...unread.map((each) => untypedWarning(each, place)),
    ...ignoredWarnings(contract, unread, place),
    ...readableTemplates(contract, place).warnings,
  ];
}

/** A warning where the server sent no name. */
export function namelessFinding({ nameless: is }: Captured, source: ServerSource): Finding[] {
  if (!is) return [];
  const message = 'the server sent no name: the contract has the name "server"';
  return [{ code: "MG6303", severity: "warning", message, place: { file: shownSource(source) } }];
}

/**
 * Warning for lines on standard output that are not messages: hosts show them as errors, and some hosts
 * disconnect.
 */
function strayFinding(what: string, source: ServerSource): Finding {
  return {
    code: "MG6313",
    severity: "warning",
    message: what,
    place: { file: shownSource(source) },
    next: "Print on standard error instead: standard output may contain only messages.",
  };
}

function about({ contract, revision }: Captured): Record<string, unknown> {
  const { name, version } = contract;
  const counts = Object.fromEntries(names.map((list) => [list, contract[list]?.length ?? 0]));
  return { name, version, revision, ...counts };
}

function summary({ contract, revision }: Captured): string {
  const { name, version } = contract;
  const counts = names.map((list) => counted(contract[list]?.length ?? 0, nouns[list]));
  return `${name} ${version} offers ${counts.join(", ")} (revision ${revision})`;
}

const names = Object.keys(nouns) as ContractList[];

/**
 * Parses `--ask LIST.PARAM=VALUE`: for each named list, the parameters of one list request.
 *
 * @throws CodedError MG2004
 */
function askedOf(args: Arguments): Asked {
  const asked: Record<string, JsonObject> = {};
  for (const { key, text, json, word } of readPairs(args.strings("ask") ?? [])) {
    const dot = key.indexOf(".");
    const [list, param] = [key.slice(0, Math.max(dot, 0)), key.slice(dot + 1)];
    if (!Object.hasOwn(nouns, list) || param === "")
      throw new CodedError("MG2004", `expected --ask LIST.PARAM=VALUE, got ${JSON.stringify(word)}`, {
        next: nameAdvice(list, names, `LIST is one of ${names.join(", ")}.`, (meant) => `${meant}.${param}`),
      });
    if (param === "cursor")
      throw new CodedError("MG2004", `--ask ${word}: all pages of a list are read`, {
        next: "Leave the cursor out.",
      });
    (asked[list] ??= {})[param] = json ?? text;
  }
  return Object.fromEntries(Object.entries(asked).map(([list, params]) => [list, [params]]));
}

/** An extension that a server declares. */
interface DeclaredExtension {
  readonly id: string;
  /** Versions in the schema folder, oldest first. */
  readonly stored: readonly string[];
}

/** The extensions that a server declares, with their versions in the schema folder. */
async function declaredExtensions(
  { capabilities }: Contract,
  args: Arguments,
  context: CommandContext,
): Promise<readonly DeclaredExtension[]> {
  const extensions = capabilities?.["extensions"];
  if (!isJsonObject(extensions) || Object.keys(extensions).length === 0) return [];
  const stored = storedExtensions((await openProject(args, context, { optional: true })).schemaDir);
  return Object.keys(extensions).map((id) => ({
    id,
    stored: stored.filter((one) => one.id === id).map(({ version }) => version),
  }));
}

/** One line of output for each extension. */
function extensionLines(extensions: readonly DeclaredExtension[]): string[] {
  return extensions.map(({ id, stored }) =>
    stored.length > 0
      ? `declares ${id}, stored as ${stored.join(", ")}`
      : `declares ${id}, which is not stored: \`mcpgen extension add FILE --id ${id}\` brings its schema in`,
  );
}
