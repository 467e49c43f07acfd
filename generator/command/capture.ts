import { basename, dirname, resolve } from "node:path";
import { type Captured, capture as captureFrom, lists } from "../capture/capture.js";
import type { ServerSource } from "../capture/server-source.js";
import { shownSource } from "../capture/shown-source.js";
import { withServer } from "../capture/with-server.js";
import { contractFileName } from "../contract/contract-file.js";
import type { Contract } from "../contract/contract.js";
import { contractText } from "../contract/contract-text.js";
import { readableTemplates } from "../contract/emit/readable-templates.js";
import { ignoredWarnings, readToolSchemas, untypedWarning } from "../contract/emit/tool-schemas.js";
import { loadContract } from "../contract/read-contract.js";
import { withScopesOf } from "../contract/scopes.js";
import { withTasksOf } from "../contract/tasks.js";
import { CodedError, type Place } from "../diagnostics/coded-error.js";
import type { Finding } from "../diagnostics/finding.js";
import { readRegularFile } from "../files/regular-file.js";
import { WriteRoot } from "../files/write-root.js";
import { writeFiles } from "../files/writer.js";
import type { Arguments } from "./arguments.js";
import { type DeclaredExtension, declaredExtensions, extensionLines } from "./capture/declared-extensions.js";
import { leftOutFinding } from "./capture/left-out.js";
import type { CommandContext, RunCommand } from "./context.js";
import { counted } from "../print/counted.js";
import type { Outcome } from "./outcome.js";
import { findingText } from "./present.js";
import { openProject } from "./project.js";
import { expectReach, serverOptions } from "./server-options.js";
import { serverSource } from "./servers/named-servers.js";
import { shownPath } from "./shown-path.js";

export const capture: RunCommand = async (args, context) => {
  const source = await serverSource(args.required("source"), args, context);
  const { file, root } = await wantedFile(args, context);
  const options = serverOptions(args, context);
  expectReach(args, source);
  context.console.progress(`asking ${shownSource(source)}`);
  const stray: string[] = [];
  const hearing = { ...options, onStray: (what: string) => stray.push(what) };
  const offered = await withServer(source, hearing, (client) =>
    captureFrom(client, options.timeout === undefined ? {} : { timeout: options.timeout }),
  );
  const captured = { ...offered, contract: await withKnownScopes(offered.contract, file) };
  const findings = [
    ...stray.map((what) => strayFinding(what, source)),
    ...captured.leftOut.map((entry) => leftOutFinding(entry, source)),
    ...namelessFinding(captured, source),
    ...unreadFindings(captured, source),
  ];
  const extensions = await declaredExtensions(captured.contract, args, context);
  if (file === "-") return printed(captured, extensions, findings, context);
  const shown = shownPath(file, context.directory);
  const done = put(root, file, shown, await contractText(captured.contract, file), args.flag("replace"));
  return {
    findings,
    ...(extensions.length > 0 && { text: extensionLines(extensions).join("\n") }),
    summary: `${shown}: ${done}; ${summary(captured)}`,
    data: { file: shown, written: done === "written", ...about(captured), extensions },
  };
};

/** The contract with the scopes and the tasks of the one that it replaces, which no server lists. */
async function withKnownScopes(contract: Contract, file: string): Promise<Contract> {
  if (file === "-" || present(file) === undefined) return contract;
  const before = await loadContract(file).catch(() => undefined);
  return before ? withTasksOf(withScopesOf(contract, before.contract), before.contract) : contract;
}

/** Where the contract goes: `--out`, else the only contract of the configuration, else the usual name. */
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

/** Standard output holds the contract and nothing else. */
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

function put(
  root: WriteRoot,
  file: string,
  shown: string,
  text: string,
  replace: boolean,
): "written" | "unchanged" {
  const before = present(file);
  if (before === text) return "unchanged";
  if (before !== undefined && !replace)
    throw new CodedError("MG6302", "the file already exists, with other content", {
      place: { file: shown },
      next: "Look at it, then repeat with --replace; or name another file with --out.",
    });
  writeFiles(root, [{ path: basename(file), content: text }]);
  return "written";
}

function present(file: string): string | undefined {
  try {
    return readRegularFile(file).toString("utf8");
  } catch (error) {
    const { cause } = error as { cause?: NodeJS.ErrnoException };
    if (cause?.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Schemas and URI templates that cannot be read: clients are generated without them. */
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

/** Hosts show such lines as errors, and some give the server up. */
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
  const counts = Object.fromEntries(lists.map((list) => [list.name, contract[list.name]?.length ?? 0]));
  return { name, version, revision, ...counts };
}

function summary({ contract, revision }: Captured): string {
  const { name, version, tools = [], resources = [], resourceTemplates = [], prompts = [] } = contract;
  const counts = [
    counted(tools.length, "tool"),
    counted(resources.length, "resource"),
    counted(resourceTemplates.length, "resource template"),
    counted(prompts.length, "prompt"),
  ];
  return `${name} ${version} offers ${counts.join(", ")} (revision ${revision})`;
}
