import { expect, test } from "vitest";
import { wholeEmitters } from "../../generator/pipeline/generate.js";
import { extensionRuns } from "../../generator/pipeline/extensions.js";
import { emitChannel } from "../../generator/targets/typescript/extension/channel.js";
import { format } from "../../generator/print/format.js";
import { loadEmitters } from "../support/emitters.js";
import { loadTemplates } from "../../generator/print/templates.js";
import { smallSchemaText } from "../support/small-protocol.js";
import { generate, releasedSource, writtenSource } from "../support/generated-output.js";
import { bases as deskBases, desk } from "./desk-extension.js";
import { type ExtensionText, request, result, stored } from "./models.js";

const settings = { type: "object", properties: { on: { type: "boolean" } } };

/** An extension whose exported name has that many letters. */
function named(length: number, bases: readonly string[]): ExtensionText {
  const name = "e".padEnd(length, "x");
  const id = `com.example/${name}`;
  return {
    id,
    bases,
    about: {
      declared: { server: `/extensions/com.example~1${name}` },
      settings: { server: "#/$defs/Settings" },
      ...(length % 2 === 0 && { needs: { capabilities: ["/tools"] } }),
    },
    definitions: {
      FindRequest: request(`${name}/find`),
      FindResult: result({ hits: { type: "integer" } }),
      Settings: settings,
    },
    notes: [{ kind: "sender", target: `${name}/find`, sender: length % 3 === 0 ? "server" : "client" }],
  };
}

const base = { ...(JSON.parse(smallSchemaText) as { $defs: object }) };
const plain = { type: "object" };
const schemaText = JSON.stringify({
  ...base,
  $defs: {
    ...base.$defs,
    JSONRPCRequest: { type: "object", required: ["method"], properties: { method: { type: "string" } } },
    Result: plain,
  },
});

test.each([[["r1"]], [["r1", "a-revision-of-a-longer-name"]]])(
  "modules of extensions over %j are printed as prettier prints them, whatever the length of their names",
  async (bases) => {
    const lengths = [1, 4, 5, 6, 7, 12];
    const { extensions } = await generate(
      bases.map((revision) => writtenSource(revision, schemaText)),
      { only: ["types"], extensions: lengths.map((length) => stored(named(length, bases))) },
    );
    const surroundings = { importExtension: "js", render: loadTemplates() } as const;
    const emitters = await loadEmitters(wholeEmitters);
    const modules = extensions
      .map((extension) => extensionRuns(extension, undefined))
      .flatMap(({ whole }) =>
        Object.values(emitters).flatMap((emit) => [...emit({ ...surroundings, ...whole })]),
      );
    expect(modules).toHaveLength(lengths.length * Object.keys(wholeEmitters).length);
    for (const [path, { content, formatted }] of modules) {
      const isClaimed = bases.length === 1 && !path.endsWith("/authoring.ts");
      if (isClaimed) expect(formatted, path).toBe(true);
      expect(content, path).toBe(await format(path, content));
    }
  },
);

/** The desk extension with roles whose names have that many letters. The names of its methods depend on the length. */
function withRoles(length: number): ExtensionText {
  const long = JSON.stringify(desk)
    .replaceAll("desk/", `desk${length}/`)
    .replaceAll('"pen"', JSON.stringify("p".padEnd(length, "x")))
    .replaceAll('"paper"', JSON.stringify("q".padEnd(length, "x")))
    .replaceAll('"lamp"', JSON.stringify("r".padEnd(length, "x")));
  return { ...(JSON.parse(long) as ExtensionText), id: `com.example/desk${length}` };
}

test("modules of the roles of a channel are printed as prettier prints them, whatever the length of their names", async () => {
  const lengths = [1, 2, 6, 8, 9, 16];
  const { extensions } = await generate(deskBases.map(releasedSource), {
    only: ["types"],
    extensions: lengths.map((length) => stored(withRoles(length))),
  });
  const surroundings = { importExtension: "js", render: loadTemplates() } as const;
  const modules = extensions.flatMap((extension) =>
    extensionRuns(extension, undefined).base.flatMap((input) => [
      ...emitChannel({ ...surroundings, ...input }),
    ]),
  );
  expect(modules).toHaveLength(lengths.length * deskBases.length * 3);
  for (const [path, { content, formatted }] of modules) {
    // Names that make no line too long.
    if (/\/[a-z]{1,8}\.ts$/.test(path)) expect(formatted, path).toBe(true);
    if (formatted) expect(content, path).toBe(await format(path, content));
  }
});
