import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { isNpmName, packageName } from "../contract/project-name.js";
import type { PackageRequest } from "./request.js";

/** A text of package.json, where it is one. */
export function textIn(manifest: JsonObject, key: string): string | undefined {
  const value = manifest[key];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/**
 * The npm package of the project.
 *
 * @throws CodedError MG6702 for a name that is not one of npm: it becomes a word of a Dockerfile and of commands
 */
export function npmName({ manifest, manifestFile, contract }: PackageRequest): string {
  const name = manifest["name"] ?? packageName(contract.name, "server");
  if (typeof name === "string" && isNpmName(name)) return name;
  throw new CodedError(
    "MG6702",
    `expected the name of package.json to be one that npm allows, got ${JSON.stringify(name)}`,
    {
      place: { file: manifestFile, pointer: "/name" },
      next: "Use lower case letters, digits, - and ., with or without a scope: @scope/name.",
    },
  );
}

/** The purpose of the server in one line. */
export function description({ contract, manifest }: PackageRequest): string {
  const own = textIn(manifest, "description") ?? contract.title;
  if (own !== undefined) return own.replace(/\s+/g, " ").trim();
  const tools = (contract.tools ?? []).map(({ name }) => name);
  return tools.length === 0 ? `The MCP server ${contract.name}` : `Tools for models: ${tools.join(", ")}`;
}

/** A text of at most `most` characters, cut at a word where there is one. */
export function shortened(text: string, most: number): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const cut = characters.slice(0, most - 1).join("");
  return `${cut.replace(/\s+\S*$/, "").replace(/[\s,;:]+$/, "")}…`;
}

interface Repository {
  readonly url: string;
  /** The folder inside a repository that holds several packages. */
  readonly folder: string | undefined;
  /** The owner at GitHub, where it is there. */
  readonly owner: string | undefined;
}

/** The repository, as an address of the web: package.json has many spellings. */
export function repository({ repository: value }: JsonObject): Repository | undefined {
  const written = isJsonObject(value!) ? value["url"] : value;
  if (typeof written !== "string") return undefined;
  const short = /^(?:github:)?([\w.-]+)\/([\w.-]+)$/.exec(written);
  const url = short
    ? `https://github.com/${short[1]}/${short[2]}`
    : written
        .replace(/^git\+/, "")
        .replace(/^git@([^:]+):/, "https://$1/")
        .replace(/^(?:git|ssh):\/\/(?:git@)?/, "https://")
        .replace(/\.git$/, "");
  if (!URL.canParse(url) || !url.startsWith("https://")) return undefined;
  const owner = /^https:\/\/github\.com\/([\w.-]+)\//.exec(url)?.[1];
  const folder =
    isJsonObject(value!) && typeof value["directory"] === "string" ? value["directory"] : undefined;
  return { url, folder, owner };
}

/** Reverse-DNS namespace, one slash, name (server.json, schema of 2025-12-11). */
const registryNames = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;

/**
 * The server's name in the MCP registry: from the option, `mcpName`, or the GitHub owner in `repository`.
 *
 * @returns undefined where neither an option nor package.json gives one
 * @throws CodedError MG2004 for a name that cannot be
 */
export function registryName(request: PackageRequest): string | undefined {
  const { manifest, contract } = request;
  const owner = repository(manifest)?.owner;
  const derived = owner && `io.github.${owner}/${packageName(contract.name, "server").replace(/^@.*\//, "")}`;
  const name = request.registryName ?? textIn(manifest, "mcpName") ?? derived;
  if (name === undefined || (registryNames.test(name) && name.length <= 200)) return name;
  throw new CodedError("MG2004", `expected NAMESPACE/NAME for the registry, got ${JSON.stringify(name)}`, {
    next: "The namespace is a domain the other way round, or io.github.OWNER: --registry-name io.github.OWNER/NAME.",
  });
}

/** The name in `"Ada <ada@example.com> (https://example.com)"` or in an object. */
export function authorOf(value: JsonValue | undefined): JsonObject | undefined {
  if (typeof value === "string") {
    const [, name, email, url] = /^([^<(]+?)\s*(?:<([^>]*)>)?\s*(?:\(([^)]*)\))?\s*$/.exec(value) ?? [];
    return name === undefined
      ? undefined
      : { name: name.trim(), ...(email && { email }), ...(url && { url }) };
  }
  if (!isJsonObject(value!) || typeof value["name"] !== "string") return undefined;
  const { name, email, url } = value;
  return { name, ...(typeof email === "string" && { email }), ...(typeof url === "string" && { url }) };
}

/** Dependencies that lie outside of the project: nothing that is shipped has them. */
export function outsideDependencies({ manifest }: PackageRequest): string[] {
  const { dependencies } = manifest;
  if (!isJsonObject(dependencies!)) return [];
  return Object.entries(dependencies).flatMap(([name, spec]) =>
    /^(?:file|link):/.test(String(spec)) ? [name] : [],
  );
}
