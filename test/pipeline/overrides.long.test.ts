import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { smallSchemaText } from "../support/small-protocol.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { generate, writtenSource } from "../support/generated-output.js";

const generateWith = (templates: Readonly<Record<string, string>>) =>
  generate([writtenSource("small", smallSchemaText)], { templatesDir: temporaryFolder(templates) });

/** Kinds of files whose emitter says that they need no formatting, and one whose emitter does not. */
test.each(["validators.ts", "methods.ts", "client.ts", "types.ts", "explain.ts"])(
  "%s from a user's template is formatted like other files",
  async (name) => {
    const { files } = await generateWith({ [`${name}.hbs`]: "export   const mine='{{origin}}'" });
    const path = [...files.keys()].find((each) => each.endsWith(name));
    expect(files.get(path!)).toMatch(/^export const mine = "schema[^"]*";\n$/);
  },
);

test("a copied module from a user's template is also formatted", async () => {
  const { files } = await generateWith({ "module.ts.hbs": "export   const mine='{{origin}}'" });
  expect(files.get("explain.ts")).toBe('export const mine = "schema";\n');
});

test("the output of a template must parse as its file type", async () => {
  await expect(generateWith({ "validators.ts.hbs": "export const = ;" })).rejects.toMatchObject({
    code: "MG1006",
    message: expect.stringContaining("small/validators.ts") as string,
  });
});

test("all templates that use a user's partial contain it", async () => {
  const header = readFileSync("templates/header.hbs", "utf8");
  const { files } = await generateWith({ "header.hbs": `${header}\n//mine\nexport   {}` });
  for (const name of ["validators.ts", "methods.ts", "types.ts"])
    expect(files.get(`small/${name}`)).toMatch(/\/\/mine\nexport \{\};\n/);
});
