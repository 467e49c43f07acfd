// The names of the project: read from its manifest, judged, and replaced in a text.

/** The names under which the project is published. */
export interface ProjectNames {
  /** The compiler's package and program. Also the prefix of environment variables, files, tables and keys. */
  readonly name: string;
  /** The scope of the other packages, with its `@`. */
  readonly scope: string;
  /** Owner and name of the repository on GitHub: `owner/name`. */
  readonly repository: string;
}

/** Reads the names from package.json. Throws if it does not have the form that a release needs. */
export function namesOf(manifest: string): ProjectNames {
  const { name, repository, dependencies } = JSON.parse(manifest) as {
    readonly name: string;
    readonly repository: { readonly url: string };
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const scope = Object.keys(dependencies).find((each) => each.endsWith("/protocol"));
  const found = slugOf(repository.url);
  if (scope === undefined || found === undefined)
    throw new Error("package.json names neither a package @scope/protocol nor a repository on GitHub");
  return { name, scope: scope.slice(0, -"/protocol".length), repository: found };
}

/** Returns `owner/name` of the address of a repository on GitHub, or undefined for another text. */
export function slugOf(url: string): string | undefined {
  return /^(?:git\+)?https:\/\/github\.com\/([\w-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(url)?.[1];
}

/**
 * Returns why names cannot be the project's, or undefined. A name is one word: functions, tables of databases and
 * environment variables carry it, too. Tables of PostgreSQL have names of at most 63 characters.
 */
export function nameFault({ name, scope, repository }: ProjectNames): string | undefined {
  if (!/^[a-z][a-z0-9]{2,23}$/.test(name))
    return `the name ${JSON.stringify(name)} is not 3 to 24 letters and digits: lower case, a letter first`;
  if (!/^@[a-z0-9][a-z0-9-]*$/.test(scope) || scope.length > 40)
    return `the scope ${JSON.stringify(scope)} is not an @ and at most 39 lower-case letters, digits and hyphens`;
  if (!/^[\w-]+\/[\w.-]+$/.test(repository)) return `the repository is not https://github.com/OWNER/NAME`;
  return undefined;
}

/**
 * Returns the function that replaces names in a text or path. The text may be bytes, one a character: only ASCII is
 * replaced. It knows the repository, the scope, and the name in lower case, upper case, and with a capital letter.
 */
export function renaming(from: ProjectNames, to: ProjectNames): (text: string) => string {
  const replaced = new Map([
    [from.repository, to.repository],
    [from.scope, to.scope],
    ...spellings(from.name).map((each, index): [string, string] => [each, spellings(to.name)[index]!]),
  ]);
  const [repository, scope, ...names] = [...replaced.keys()].map((word) => word.replaceAll(".", "\\."));
  const pattern = `(?<![\\w.-])${repository}(?![\\w-])|${scope}(?![\\w-])|${names.join("|")}`;
  return (text) => text.replace(new RegExp(pattern, "g"), (word) => replaced.get(word)!);
}

function spellings(name: string): string[] {
  return [name, name.toUpperCase(), name[0]!.toUpperCase() + name.slice(1)];
}
