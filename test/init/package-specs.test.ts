import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { packageSpecs } from "../../generator/init/package-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const names = [
  "mcpgen",
  "@mcpgen/auth",
  "@mcpgen/base",
  "@mcpgen/bridge",
  "@mcpgen/cluster",
  "@mcpgen/engine",
  "@mcpgen/protocol",
  "@mcpgen/runtime",
  "@mcpgen/tasks",
  "@mcpgen/testing",
];

/** A folder where npm has installed our packages, each from the place in `resolved`. */
function installed(resolved: (name: string) => string | undefined): string {
  const folder = temporaryFolder();
  const modules = join(folder, "app/node_modules");
  mkdirSync(join(modules, "mcpgen"), { recursive: true });
  mkdirSync(join(folder, "tarballs"));
  const packages = Object.fromEntries(
    names.map((name) => [`node_modules/${name}`, { version: "0.1.0", resolved: resolved(name) }]),
  );
  writeFileSync(join(modules, ".package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages }));
  return folder;
}

const tarballOf = (name: string): string => `${name.replace("@", "").replace("/", "-")}.tgz`;
const specsOf = (folder: string) => packageSpecs(join(folder, "app/node_modules/mcpgen"), "0.1.0");

describe("a new project takes our packages from", () => {
  test("the checkout that mcpgen runs from", () => {
    const { origin, specs } = packageSpecs(resolve("."), "0.1.0");
    expect(origin).toBe("checkout");
    expect(specs["@mcpgen/runtime"]).toBe(`file:${resolve("runtime/core")}`);
  });

  test("the tarballs that npm installed them from", () => {
    const folder = installed((name) => `file:../tarballs/${tarballOf(name)}`);
    for (const name of names) writeFileSync(join(folder, "tarballs", tarballOf(name)), "");
    const { origin, specs } = specsOf(folder);
    expect(origin).toBe("tarballs");
    for (const name of names)
      expect(specs).toHaveProperty([name], `file:${join(folder, "tarballs", tarballOf(name))}`);
  });

  test("the registry, when a tarball is gone, when another place is named, and without a lockfile", () => {
    const gone = installed((name) => `file:../tarballs/${tarballOf(name)}`);
    const elsewhere = installed((name) => `https://registry.invalid/${tarballOf(name)}`);
    const silent = installed(() => undefined);
    const broken = installed(() => undefined);
    writeFileSync(join(broken, "app/node_modules/.package-lock.json"), "{");
    for (const folder of [gone, elsewhere, silent, broken, temporaryFolder()])
      expect(specsOf(folder)).toEqual({
        origin: "registry",
        specs: Object.fromEntries(names.map((name) => [name, "0.1.0"])),
      });
  });
});
