import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** A registry of npm on this machine. */
export interface Registry {
  readonly url: string;
  close(): void;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/**
 * Starts a registry that has the packages as if they were published, and leads to another one for all others.
 *
 * @param tarballs the folder of the packages
 * @param others the URL of the other registry
 */
export async function registryOf(tarballs: string, others: string): Promise<Registry> {
  const files = new Map(
    readdirSync(tarballs).map((name) => [`/-/${name}`, readFileSync(join(tarballs, name))]),
  );
  const manifests = new Map<string, readonly [path: string, manifest: Manifest]>(
    [...files.keys()].map((path) => {
      const file = join(tarballs, path.slice("/-/".length));
      const text = execFileSync("tar", ["-xzOf", file, "package/package.json"], { encoding: "utf8" });
      const manifest = JSON.parse(text) as Manifest;
      return [`/${manifest.name}`, [path, manifest] as const];
    }),
  );
  const answer = (path: string, response: ServerResponse): void => {
    const [file, manifest] = manifests.get(path) ?? [];
    if (file !== undefined && manifest !== undefined)
      response.end(documentOf(manifest, file, files.get(file)!));
    else if (files.has(path)) response.end(files.get(path));
    else response.writeHead(302, { location: new URL(`.${path}`, others).href }).end();
  };
  const http = createServer((request, response) => answer(decodeURIComponent(request.url!), response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;

  /** What a registry says about a package with one version. */
  function documentOf(manifest: Manifest, path: string, tarball: Buffer): string {
    const { name, version } = manifest;
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const versions = { [version]: { ...manifest, dist: { tarball: `${url}${path}`, integrity } } };
    return JSON.stringify({ name, "dist-tags": { latest: version }, versions });
  }

  return {
    url,
    close() {
      http.close();
      http.closeAllConnections();
    },
  };
}
