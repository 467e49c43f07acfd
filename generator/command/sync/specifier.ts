import { basename, dirname, join, relative, resolve, sep } from "node:path";

/** Extensions that imports write or leave out. */
const extension = /\.[cm]?[jt]s$/;

/**
 * Whether an import in `file` leads to the `server` module in `out`. Of specifiers that are not relative (`#…`, `@/…`,
 * packages) only the end is known: the last folder of `out` decides, where no other output is called so.
 *
 * @param others folders that other contracts are generated into
 */
export function leadsToServer(
  file: string,
  out: string,
  others: readonly string[],
): (specifier: string) => boolean {
  const module = join(out, "server");
  const folder = basename(out);
  const alone = !others.some((other) => other !== out && basename(other) === folder);
  return (specifier) => {
    const plain = specifier.replace(extension, "");
    if (plain.startsWith(".")) return resolve(dirname(file), plain) === module;
    return alone && `/${plain}`.endsWith(`/${folder}/server`);
  };
}

/** How a file beside `folder` imports the `server` module in `out`. */
export function serverSpecifier(folder: string, out: string, extensionName: string): string {
  const path = relative(folder, join(out, `server.${extensionName}`))
    .split(sep)
    .join("/");
  return path.startsWith(".") ? path : `./${path}`;
}
