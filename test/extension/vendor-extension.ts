import { cpSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { lockFile, lockText, readLock } from "../../generator/revision/lock.js";
import { type Ran, mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const text = { type: "string" };
const colour = { anyOf: ["red", "green"].map((value) => ({ type: "string", const: value })) };

/** An object as programs print it: it says what other members may be. */
const closed = <Properties extends object>(
  properties: Properties,
  required: readonly string[] = Object.keys(properties),
) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** A copy of a definition of the protocol. */
export const implementation = closed(
  {
    name: text,
    version: text,
    title: text,
    description: text,
    websiteUrl: text,
    icons: {
      type: "array",
      items: closed(
        {
          src: text,
          mimeType: text,
          sizes: { type: "array", items: text },
          theme: { type: "string", enum: ["light", "dark"] },
        },
        ["src"],
      ),
    },
  },
  ["name", "version"],
);

/** The schema of an extension as a program prints it: copies are inlined, objects closed. */
export const vendorSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $defs: {
    Colour: colour,
    MixRequest: closed({
      method: { type: "string", const: "paint/mix" },
      params: closed({ colours: { type: "array", items: colour }, by: implementation }, ["colours"]),
    }),
    MixResult: { ...closed({ colour, litres: { type: "integer" } }), additionalProperties: {} },
    DriedNotification: closed({
      method: { type: "string", const: "notifications/paint/dried" },
      params: closed({ colour }),
    }),
    PaintSettings: closed({ thinners: { type: "boolean" } }, []),
  },
};

export const vendorText = JSON.stringify(vendorSchema);

/** A project with the committed revisions, and the schema of the vendor as `1.0.0/schema.json`. */
export function vendorProject(files: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder({ "vendor.json": vendorText, ...files });
  const committed = fileURLToPath(new URL("../../schema", import.meta.url));
  for (const name of ["2025-11-25", "2026-07-28"])
    cpSync(join(committed, name), join(folder, "schema", name), { recursive: true });
  const lock = [...readLock(committed)].filter(([name]) => name >= "2025-11-25");
  writeFileSync(
    join(folder, "schema", lockFile),
    lockText({ revisions: new Map(lock), extensions: new Map() }),
  );
  return folder;
}

export const vendorId = "com.example/paint";

/** The folder of version 1.0.0. */
export const vendorFolder = "schema/extensions/com.example/paint/1.0.0";

/** Adds the vendor's extension as version 1.0.0. */
export const addVendor = (folder: string, ...args: string[]): Promise<Ran> =>
  mcpgen(folder, ["extension", "add", "vendor.json", "--id", vendorId, "--version", "1.0.0", ...args]);

/** Adds it over the newest revision. */
export const addOver = (folder: string, ...args: string[]): Promise<Ran> =>
  addVendor(folder, "--base", "2026-07-28", ...args);

export function textOf(folder: string, file: string): string {
  return readFileSync(join(folder, file), "utf8");
}

export function jsonOf(folder: string, file: string): Record<string, unknown> {
  return JSON.parse(textOf(folder, file)) as Record<string, unknown>;
}

/** Every file below the schema folder, with its content. */
export function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(join(folder, "schema"), { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file, readFileSync(file, "utf8")]),
  );
}
