import type { JsonObject } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import {
  authorOf,
  description,
  npmName,
  outsideDependencies,
  registryName,
  repository,
  shortened,
  textIn,
} from "./facts.js";
import { type PackageFiles, type PackageRequest, json } from "./request.js";
import type { Finding } from "../diagnostics/finding.js";
import { shellLine } from "../print/shell-line.js";

/** The one file that the bundle holds, below the project. */
const entry = "dist/server.mjs";

/** The manifest of an MCP bundle (MANIFEST.md, 0.3) of one file. */
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

/** Makes one file for production of the server and all its imports. POSIX shells and cmd.exe both read `\"` as a quote. */
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
    // The text of a prompt is not in a contract: the server makes it.
    ...(prompts.length > 0 && { prompts_generated: true }),
    compatibility: { runtimes: { node: ">=20.19" } },
  };
}

/** @throws CodedError MG6702 where nothing names one */
function author(request: PackageRequest): JsonObject {
  const named = authorOf(request.author ?? request.manifest["author"]);
  if (named) return named;
  throw new CodedError("MG6702", "expected an author for the bundle, got none", {
    place: { file: request.manifestFile, pointer: "/author" },
    next: 'Add "author" to package.json, or give --author "NAME <MAIL>".',
  });
}

/** A Dockerfile that builds the project and runs it as a user without rights. */
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
