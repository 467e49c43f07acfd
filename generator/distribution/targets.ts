import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { type Finding, CodedError } from "../diagnostics/coded-error.js";
import { type PackageFiles, type PackageRequest, json } from "./request.js";
import { shellLine } from "../print/terminal-text.js";
import { packageName } from "../contract/project-name.js";
import { isNpmName } from "../print/text.js";

/** The only file in the bundle, relative to the project. */
const entry = "dist/server.mjs";

/** The manifest of an MCP bundle (MANIFEST.md, 0.3) with one file. */
export function mcpbFiles(request: PackageRequest): PackageFiles {
  const [folder] = entry.split("/");
  return {
    files: new Map([
      ["manifest.json", json(manifestOf(request))],
      [".mcpbignore", request.render("skeleton-server.mcpbignore", { folder, entry })],
    ]),
    findings: [],
    next: `${bundleCommand} && npx @anthropic-ai/mcpb pack`,
  };
}

/**
 * The command that bundles the server and its imports into one file for production. POSIX shells and cmd.exe
 * both read `\"` as a quote.
 */
export const bundleCommand =
  "npx esbuild src/main.ts --bundle --minify --platform=node --format=esm " +
  `--outfile=${entry} --define:process.env.NODE_ENV=\\"production\\"`;

function manifestOf(request: PackageRequest): JsonObject {
  const { contract, manifest } = request;
  const { tools = [], prompts = [] } = contract;
  const place = repository(manifest);
  const [license, homepage] = [textIn(manifest, "license"), textIn(manifest, "homepage")];
  const keywords = Array.isArray(manifest["keywords"])
    ? manifest["keywords"].filter((word) => typeof word === "string")
    : [];
  return {
    manifest_version: "0.3",
    name: npmName(request).replace(/^@.*\//, ""),
    ...(contract.title !== undefined && { display_name: contract.title }),
    version: contract.version,
    description: shortened(description(request), 300),
    ...(contract.instructions !== undefined && { long_description: contract.instructions }),
    author: author(request),
    ...(place && { repository: { type: "git", url: place.url } }),
    ...(homepage !== undefined && URL.canParse(homepage) && { homepage }),
    ...(license !== undefined && { license }),
    ...(keywords.length > 0 && { keywords }),
    server: {
      type: "node",
      entry_point: entry,
      mcp_config: { command: "node", args: [`\${__dirname}/${entry}`] },
    },
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description: text }) => ({
        name,
        ...(text !== undefined && { description: shortened(text.split("\n")[0]!, 300) }),
      })),
    }),
    // Contracts do not contain the texts of prompts; the server generates them.
    ...(prompts.length > 0 && { prompts_generated: true }),
    compatibility: { runtimes: { node: ">=20.19" } },
  };
}

/** @throws CodedError MG6702 if no author is given */
function author(request: PackageRequest): JsonObject {
  const named = authorOf(request.author ?? request.manifest["author"]);
  if (named) return named;
  throw new CodedError("MG6702", "expected an author for the bundle, got none", {
    place: { file: request.manifestFile, pointer: "/author" },
    next: 'Add "author" to package.json, or give --author "NAME <MAIL>".',
  });
}

/** A Dockerfile that builds the project and runs it as an unprivileged user. */
export function dockerFiles(request: PackageRequest): PackageFiles {
  const { render } = request;
  const image = npmName(request).replace(/^@/, "").toLowerCase();
  const name = registryName(request);
  const label = name === undefined ? undefined : JSON.stringify(name);
  return {
    files: new Map([
      ["Dockerfile", render("skeleton-server.Dockerfile", { image, label, entry: "dist/main.js" })],
      [".dockerignore", render("skeleton-server.dockerignore", {})],
    ]),
    findings: outside(request),
    next: `npm install && ${shellLine(["docker", "build", "-t", image, "."])}`,
  };
}

function outside(request: PackageRequest): Finding[] {
  const names = outsideDependencies(request);
  if (names.length === 0) return [];
  return [
    {
      code: "MG6701",
      severity: "warning",
      message: `${names.join(", ")}: an image cannot contain a dependency outside of the project`,
      place: { file: request.manifestFile },
      next: "Use versions from a registry.",
    },
  ];
}

/** The schema that the file declares and follows. */
const schema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/** `server.json`, with which the MCP registry lists a server: its npm package, its URL, or both. */
export function registryFiles(request: PackageRequest): PackageFiles {
  const name = registryName(request);
  if (name === undefined)
    throw new CodedError("MG6702", "expected a namespace for the registry name NAMESPACE/NAME, got none", {
      place: { file: request.manifestFile, pointer: "/mcpName" },
      next: 'Add "repository" or "mcpName" to package.json, or give --registry-name io.github.OWNER/NAME.',
    });
  const isPublished = request.manifest["private"] !== true;
  return {
    files: new Map([["server.json", json(entryOf(request, name, isPublished))]]),
    findings: isPublished || request.remote === undefined ? lacks(request, name) : [],
    next: "mcp-publisher login github && mcp-publisher publish",
  };
}

function entryOf(request: PackageRequest, name: string, isPublished: boolean): JsonObject {
  const { contract, manifest, remote } = request;
  const place = repository(manifest);
  const homepage = textIn(manifest, "homepage");
  const version = textIn(manifest, "version") ?? contract.version;
  return {
    $schema: schema,
    name,
    ...(contract.title !== undefined && { title: shortened(contract.title, 100) }),
    description: shortened(description(request), 100),
    ...(place && {
      repository: {
        url: place.url,
        source: place.owner === undefined ? new URL(place.url).hostname.split(".").at(-2)! : "github",
        ...(place.folder !== undefined && { subfolder: place.folder }),
      },
    }),
    version,
    ...(homepage !== undefined && URL.canParse(homepage) && { websiteUrl: homepage }),
    ...((isPublished || remote === undefined) && {
      packages: [
        { registryType: "npm", identifier: npmName(request), version, transport: { type: "stdio" } },
      ],
    }),
    ...(remote !== undefined && { remotes: [{ type: "streamable-http", url: remote }] }),
  };
}

/**
 * Findings about members of package.json that the registry requires, or that hosts need to start the server
 * with npx.
 */
function lacks({ manifest, manifestFile, firstLine }: PackageRequest, name: string): Finding[] {
  const missing: JsonObject = {
    ...(manifest["mcpName"] !== name && { mcpName: name }),
    ...(manifest["private"] === true && { private: false }),
    ...(!isJsonObject(manifest["bin"]!) && typeof manifest["bin"] !== "string" && { bin: "dist/main.js" }),
    ...(!Array.isArray(manifest["files"]) && { files: ["dist"] }),
  };
  const findings: Finding[] = [];
  if (Object.keys(missing).length > 0)
    findings.push({
      code: "MG6701",
      severity: "warning",
      message: `lacks ${Object.keys(missing).join(", ")}`,
      place: { file: manifestFile },
      next: "Add the members below, then publish the package to npm: the registry compares mcpName with server.json.",
      detail: JSON.stringify(missing, null, 2),
    });
  if (firstLine !== undefined && !firstLine.startsWith("#!"))
    findings.push({
      code: "MG6701",
      severity: "warning",
      message: "the program that npx starts has no `#!` line",
      place: { file: "src/main.ts", line: 1 },
      next: "Make `#!/usr/bin/env node` its first line.",
    });
  return findings;
}

/** A member of package.json, if it is a string. */
function textIn(manifest: JsonObject, key: string): string | undefined {
  const value = manifest[key];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/**
 * The npm package of the project.
 *
 * @throws CodedError MG6702 for an invalid npm name, since the name is inserted into a Dockerfile and
 * commands
 */
function npmName({ manifest, manifestFile, contract }: PackageRequest): string {
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

/** A one-line description of the server. */
function description({ contract, manifest }: PackageRequest): string {
  const own = textIn(manifest, "description") ?? contract.title;
  if (own !== undefined) return own.replace(/\s+/g, " ").trim();
  const tools = (contract.tools ?? []).map(({ name }) => name);
  return tools.length === 0 ? `The MCP server ${contract.name}` : `Tools for models: ${tools.join(", ")}`;
}

/** Truncates a text to at most `most` characters, at a word boundary if possible. */
function shortened(text: string, most: number): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const cut = characters.slice(0, most - 1).join("");
  return `${cut.replace(/\s+\S*$/, "").replace(/[\s,;:]+$/, "")}…`;
}

interface Repository {
  readonly url: string;
  /** The folder inside a repository with several packages. */
  readonly folder: string | undefined;
  /** The owner on GitHub, if the repository is there. */
  readonly owner: string | undefined;
}

/** The repository's web URL, from any form that package.json allows. */
function repository({ repository: value }: JsonObject): Repository | undefined {
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

/** Matches a registry name: reverse-DNS namespace, one slash, name (server.json, schema of 2025-12-11). */
const registryNames = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;

/**
 * The server's name in the MCP registry: from the option, `mcpName`, or the GitHub owner in `repository`.
 *
 * @returns undefined if neither an option nor package.json gives one
 * @throws CodedError MG2004 for an invalid name
 */
function registryName(request: PackageRequest): string | undefined {
  const { manifest, contract } = request;
  const owner = repository(manifest)?.owner;
  const derived = owner && `io.github.${owner}/${packageName(contract.name, "server").replace(/^@.*\//, "")}`;
  const name = request.registryName ?? textIn(manifest, "mcpName") ?? derived;
  if (name === undefined || (registryNames.test(name) && name.length <= 200)) return name;
  throw new CodedError("MG2004", `expected NAMESPACE/NAME for the registry, got ${JSON.stringify(name)}`, {
    next: "The namespace is a domain the other way round, or io.github.OWNER: --registry-name io.github.OWNER/NAME.",
  });
}

/** The author in the form `"Ada <ada@example.com> (https://example.com)"` or as an object. */
function authorOf(value: JsonValue | undefined): JsonObject | undefined {
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

/** Dependencies outside of the project, which a published package cannot contain. */
function outsideDependencies({ manifest }: PackageRequest): string[] {
  const { dependencies } = manifest;
  if (!isJsonObject(dependencies!)) return [];
  return Object.entries(dependencies).flatMap(([name, spec]) =>
    /^(?:file|link):/.test(String(spec)) ? [name] : [],
  );
}
