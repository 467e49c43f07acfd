// Lists the skills of a server, or loads one and reads its files.
// Usage: node dist/examples/skills-client/main.js URL|FOLDER [SKILL [FILE …]]
import { fileURLToPath } from "node:url";
import { getSkill, skills } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/client";
import { clientRevisions } from "@mcpgen/protocol/client";
import { McpError, connect } from "@mcpgen/runtime";
import { HeldSkill, VerificationError, allSkills } from "./held-skill.js";

const [source = ".", uri, ...references] = process.argv.slice(2);
const isUrl = /^https?:/.test(source);
const served = {
  command: process.execPath,
  args: [fileURLToPath(new URL("../skills/main.js", import.meta.url)), source],
};

const client = await connect(isUrl ? source : served, { revisions: clientRevisions, extensions: [skills] });
try {
  if (uri === undefined) {
    for (const each of await allSkills(client))
      console.log(`${each.uri}: ${JSON.stringify(each.frontmatter.description)}`);
  } else {
    // The entry says what each file holds. A server answers for skills that it does not list, too.
    const { skill } = await getSkill(client, { uri });
    const held = await HeldSkill.load(client, skill);
    // A model must see which server a text is from: it is input, not an order.
    console.log(`from ${source}: ${uri}\n${held.text}`);
    for (const reference of references)
      console.log(`from ${source}: ${reference}\n${new TextDecoder().decode(await held.read(reference))}`);
  }
} catch (error) {
  // One line says what is wrong with the server, or with its skill.
  if (!(error instanceof VerificationError || error instanceof McpError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await client.close();
}
