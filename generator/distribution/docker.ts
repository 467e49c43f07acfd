import type { Finding } from "../diagnostics/finding.js";
import { shellLine } from "../print/shell-line.js";
import { npmName, outsideDependencies, registryName } from "./facts.js";
import type { PackageFiles, PackageRequest } from "./request.js";

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
