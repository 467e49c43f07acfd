import { existsSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { configsIn, searchFolders } from "../config/config.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { counted, shownPath, printable } from "../print/terminal-text.js";
import type { Arguments, CommandContext, RunCommand, Outcome } from "./command.js";
import { hostFilesIn } from "./servers/host-files.js";
import { effectLines } from "./trust/trust.js";

/** Trusts the configuration of a folder, or prints, lists and removes trust. */
export const trust: RunCommand = async (args, context) => {
  const chosen = ["print", "list", "remove"].find((name) => args.flag(name));
  if (chosen === "list") return listed(context);
  if (chosen === "remove") return removed(folderOf(args, context, false), context);
  const folder = folderOf(args, context, true);
  return chosen === "print" ? printed(folder, context) : trusted(folder, context);
};

/** @param isNeeded whether the folder must exist: trust in a deleted folder can be removed */
function folderOf(
  args: Arguments,
  { directory, trust: { home } }: CommandContext,
  isNeeded: boolean,
): string {
  const given = args.string("dir");
  if (given === undefined) {
    const found = searchFolders(directory, home).find(
      (each) => configsIn(each).length + hostFilesIn(each).length > 0,
    );
    return found ?? directory;
  }
  const folder = resolve(directory, given);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() || (!isNeeded && !existsSync(folder)))
    return folder;
  throw new CodedError("MG2004", "expected DIR to be a folder", {
    place: { file: given },
    next: "Check the path.",
  });
}

async function trusted(folder: string, context: CommandContext): Promise<Outcome> {
  const content = await context.trust.content(folder);
  const shown = shownPath(folder, context.directory);
  const data = { ...content, needed: content.effects.some(({ needed }) => needed) };
  if (!data.needed) return { summary: `${shown} needs no trust: its configuration runs nothing`, data };
  await context.trust.grant(content);
  return { summary: `${shown} is trusted as it is now: ${content.hash}`, data };
}

async function printed(folder: string, context: CommandContext): Promise<Outcome> {
  const content = await context.trust.content(folder);
  for (const line of effectLines(content.effects, true)) context.console.note(line);
  return { text: content.hash, data: { ...content, trusted: context.trust.isTrusted(content) } };
}

function listed({ trust: { store }, console }: CommandContext): Outcome {
  const folders = store.list();
  return {
    ...(folders.length > 0 && {
      text: folders
        .flatMap(({ folder, hashes }) => [
          console.paint("bold", printable(folder)),
          ...hashes.map((hash) => `  ${hash}`),
        ])
        .join("\n"),
    }),
    summary: `${counted(folders.length, "folder")} trusted`,
    data: { folders },
  };
}

function removed(folder: string, { trust: { store }, directory }: CommandContext): Outcome {
  const real = existsSync(folder) ? realpathSync(folder) : folder;
  const isRemoved = store.remove(real);
  const shown = shownPath(folder, directory);
  return {
    summary: isRemoved ? `${shown} is no longer trusted` : `${shown} was not trusted`,
    data: { folder: real, removed: isRemoved },
  };
}
