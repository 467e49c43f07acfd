import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import type { CANCEL_SYMBOL } from "@clack/prompts";
import { loadRevisionIds } from "../../capture/runtime.js";
import { contractIn } from "../../contract/contract-file.js";
import { nameFault } from "../../contract/project-name.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import type { Terminal } from "../terminal.js";
import { folderName } from "./source.js";

/** The facts about a new project from options and from answers. */
export interface Answers {
  readonly dir?: string | undefined;
  readonly name?: string | undefined;
  readonly speaks?: readonly string[] | undefined;
}

/**
 * Asks what `known` leaves open, three questions at most; Enter takes what is proposed. A folder that is named names the
 * server, too.
 *
 * @throws CodedError MG2016 where they are left with Ctrl-C or Escape
 */
export async function ask(known: Answers, terminal: Terminal, directory: string): Promise<Answers> {
  // The library is loaded only for questions.
  const { isCancel, multiselect, text } = await import("@clack/prompts");
  const settled = <T>(answer: T | typeof CANCEL_SYMBOL): T => {
    if (!isCancel(answer)) return answer;
    throw new CodedError("MG2016", "the questions were left: nothing was written", {
      next: "Options answer all questions: mcpgen init server DIR --name NAME --yes.",
    });
  };
  const answers: { -readonly [Key in keyof Answers]: Answers[Key] } = { ...known };
  if (known.name === undefined && known.dir === undefined) {
    const message = "What is the server called?";
    const validate = (name: string | undefined): string | undefined => nameFault(name ?? "");
    answers.name = settled(
      await text({ ...terminal, message, initialValue: proposedName(directory), validate }),
    );
  }
  if (known.speaks === undefined) {
    const ids = await loadRevisionIds();
    const message = "Which revisions of the protocol does it speak?";
    const options = ids.toReversed().map((value) => ({ value, label: value }));
    const chosen = settled(
      await multiselect({ ...terminal, message, options, initialValues: [...ids], required: true }),
    );
    if (chosen.length < ids.length) answers.speaks = ids.filter((id) => chosen.includes(id));
  }
  if (known.dir === undefined) {
    const message = "Which folder is it for? Existing files stay unchanged.";
    const validate = (dir: string | undefined): string | undefined => folderFault(dir ?? "", directory);
    answers.dir = settled(
      await text({ ...terminal, message, initialValue: proposedFolder(answers.name, directory), validate }),
    ).trim();
  }
  return answers;
}

function proposedName(directory: string): string {
  try {
    return folderName(directory);
  } catch {
    return "server";
  }
}

/** The working directory where it is empty, or a folder with the server's name. */
function proposedFolder(name: string | undefined, directory: string): string {
  const isEmpty = readdirSync(directory).every((entry) => entry === ".git");
  return isEmpty || name === undefined ? "." : name;
}

function folderFault(dir: string, directory: string): string | undefined {
  if (dir.trim() === "") return "expected the path of a folder; . is the one you are in";
  const there = contractIn(resolve(directory, dir.trim()));
  return there === undefined
    ? undefined
    : `${there} is there already: run \`mcpgen init server ${dir.trim()}\``;
}
