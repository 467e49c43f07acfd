import { basename, dirname } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";

const date = /^\d{4}-\d{2}-\d{2}$/;

/** Names that folders of output or input have, and those Windows keeps for devices. */
const reserved = /^(?:dist|extensions|node_modules|con|prn|aux|nul|com\d|lpt\d|.*\.(?:json|ts|js|md))$/i;

/** Whether `name` is a date of the calendar, as released revisions are called. */
export function isDate(name: string): boolean {
  const day = new Date(`${name}T00:00:00Z`);
  return date.test(name) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(name);
}

/** The name of the folder that a file lies in, by its path or URL. */
export function folderOf(source: string): string {
  return basename(dirname(/^https?:/i.test(source) ? new URL(source).pathname : source));
}

/** Whether upstream would call the folder of a revision so. */
export function isRevisionFolder(folder: string): boolean {
  return isDate(folder) || folder === "draft";
}

/**
 * The default name of a revision: the folder its file lies in, if that is a date or `draft`.
 *
 * @param source path or URL of the file
 * @throws CodedError MG2007 for any other folder
 */
export function nameFromFolder(source: string): string {
  const folder = folderOf(source);
  if (isRevisionFolder(folder)) return folder;
  throw new CodedError("MG2007", "the folder of the file does not give the name of the revision", {
    place: { file: source },
    next: "Say it with --name, e.g. --name 2026-07-28.",
  });
}

/** @throws CodedError MG2008 for a name that cannot be a folder's in input and output */
export function expectRevisionName(name: string): string {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/.test(name) && !reserved.test(name)) return name;
  throw new CodedError("MG2008", `a revision cannot be called ${JSON.stringify(name)}`, {
    next: "Use letters, digits, - and _, e.g. 2026-07-28 or draft.",
  });
}
