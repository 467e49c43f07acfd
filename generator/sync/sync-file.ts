import { ts } from "ts-morph";
import type { Finding } from "../diagnostics/coded-error.js";
import { anchorsIn } from "./anchors.js";
import { type Missing, type Reference, type SyncContract, type Trace, FileWork } from "./file-work.js";
import { type Insertion, inOrder, withInsertions } from "./insertion.js";
import { type SourceFile, parse, syntaxProblem } from "./source.js";
import { TypeNames } from "./type-names.js";
import type { Section } from "./wanted.js";
import { everyNode } from "./declarations.js";

export interface SyncedFile {
  readonly text: string;
  readonly insertions: readonly Insertion[];
  readonly missing: readonly Missing[];
  readonly findings: readonly Finding[];
  /** The handlers that the file imports, reported unless they are found in the other file. */
  readonly references: readonly Reference[];
  /** Places that mention handlers without defining them, reported if no handlers are found in any file. */
  readonly traces: readonly Trace[];
  /** Contract and section of all handlers in the file, readable or not. */
  readonly anchored: readonly { readonly contract: string; readonly section: Section | undefined }[];
}

/**
 * Computes the insertions after which a file's handlers cover everything the contracts offer. Existing text
 * is never changed or deleted. A file that does not parse is not changed.
 */
export function syncFile(text: string, file: string, contracts: readonly SyncContract[]): SyncedFile {
  const source = parse(text, file);
  const known = concerned(source, contracts);
  if (known.length === 0) return untouched(text, [], []);
  const problem = syntaxProblem(source, file);
  if (problem)
    return untouched(
      text,
      [problem],
      known.map(({ contract }) => contract.file),
    );
  const work = workOn(source, file, known);
  const insertions = inOrder(work.insertions);
  const result = withInsertions(text, insertions);
  const { missing, findings, references, traces, anchored } = work;
  const synced = { text: result, insertions, missing, findings, references, traces, anchored };
  return insertions.length === 0 || isSettled(result, file, contracts)
    ? synced
    : withoutInsertions(text, synced, file);
}

type Concern = {
  readonly contract: SyncContract;
  readonly names: TypeNames;
  readonly first: NonNullable<TypeNames["first"]>;
};

/** The contracts that a file concerns. */
function concerned(source: SourceFile, contracts: readonly SyncContract[]): Concern[] {
  return contracts.flatMap((contract) => {
    const names = new TypeNames(source, contract.lookIn, contract.anywhere);
    const { first } = names;
    return first ? [{ contract, names, first }] : [];
  });
}

function workOn(source: SourceFile, file: string, known: readonly Concern[]): FileWork {
  const work = new FileWork(source, file);
  for (const { contract, names, first } of known) {
    const { tasks = [] } = contract;
    if (tasks.length > 0)
      for (const node of optionsWithoutExtensions(source, names))
        work.report(node, lacksTasks(contract.file, tasks));
    const anchors = anchorsIn(source, names);
    for (const anchor of anchors) work.take(anchor, contract);
    if (anchors.length > 0) continue;
    work.trace(
      first.node,
      contract,
      first.doubt
        ? "the module that it comes from cannot be read"
        : "no handlers were recognised in this file",
    );
  }
  return work;
}

function untouched(text: string, findings: readonly Finding[], contracts: readonly string[]): SyncedFile {
  const anchored = contracts.map((contract) => ({ contract, section: undefined }));
  return { text, insertions: [], missing: [], findings, references: [], traces: [], anchored };
}

/** Whether the text with insertions parses and lacks no entry. */
function isSettled(text: string, file: string, contracts: readonly SyncContract[]): boolean {
  const source = parse(text, file);
  if (syntaxProblem(source, file)) return false;
  return workOn(source, file, concerned(source, contracts)).insertions.length === 0;
}

/** For unforeseen code: leaves the file unchanged rather than broken, and prints the insertions. */
function withoutInsertions(
  text: string,
  { insertions, findings, ...rest }: SyncedFile,
  file: string,
): SyncedFile {
  const finding: Finding = {
    code: "MG6505",
    severity: "error",
    message: "the missing handlers cannot be inserted without breaking the code",
    place: { file },
    next: "Paste the text below yourself; the file is unchanged.",
    detail: insertions.map((each) => each.text).join("\n"),
  };
  return { ...rest, text, insertions: [], findings: [...findings, finding] };
}

/** The lines that let a server run tasks. */
const lines = `import { tasks as tasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { tasks } from "@mcpgen/tasks";

  extensions: [tasks(tasksExtension)],`;

/**
 * The options of servers that certainly have no extension. With tools that have `task`, such a server does
 * not start. Options that are not an object literal are ignored.
 */
function optionsWithoutExtensions(source: ts.SourceFile, names: TypeNames): ts.Node[] {
  const found: ts.Node[] = [];
  everyNode(source, (node) => {
    if (!ts.isCallExpression(node) || names.creatorIn(node.expression) === undefined) return;
    const [, options] = node.arguments;
    if (options && ts.isObjectLiteralExpression(options) && hasNone(options)) found.push(options);
  });
  return found;
}

function hasNone({ properties }: ts.ObjectLiteralExpression): boolean {
  return properties.every((property) => {
    const { name } = property;
    // A spread or computed name, known only at run time.
    if (!name || ts.isComputedPropertyName(name)) return false;
    if (name.text !== "extensions") return true;
    return (
      ts.isPropertyAssignment(property) &&
      ts.isArrayLiteralExpression(property.initializer) &&
      property.initializer.elements.length === 0
    );
  });
}

/**
 * The finding about a server that lacks the tasks extension.
 *
 * @param contract its contract's name in messages
 * @param tools names of its tools with `task`
 */
function lacksTasks(contract: string, tools: readonly string[]): Finding {
  const [first, ...others] = tools;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  return {
    code: "MG6508",
    severity: "error",
    message: `the server has no extension that runs tasks, and ${contract} has \`task\` on ${JSON.stringify(first)}${more}`,
    next: "Add the lines below, here and wherever else the server is made; package.json needs @mcpgen/tasks in dependencies.",
    detail: lines,
  };
}
