import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import type { Finding } from "../diagnostics/finding.js";
import { description, npmName, registryName, repository, shortened, textIn } from "./facts.js";
import { type PackageFiles, type PackageRequest, json } from "./request.js";

/** The schema that the file names, and keeps to. */
const schema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/** `server.json`, by which the MCP registry lists a server: its npm package, its address on the network, or both. */
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

/** The members of package.json that the registry requires, and those with which hosts can start the server by npx. */
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
