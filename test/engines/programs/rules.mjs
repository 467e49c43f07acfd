// Judges a store by all rules: node rules.mjs tasks|sessions DRIVER ADDRESS. Prints a line of JSON for each rule.
import { sessionStoreRules } from "@mcpgen/runtime/testing";
import { storeRules } from "@mcpgen/tasks/testing";
import { openStore } from "../stores.mjs";

const [kind, driver, address] = process.argv.slice(2);
const [rules, other, storeOf] =
  kind === "tasks"
    ? [storeRules, 'odd "{other}"', async ({ store }) => store]
    : [sessionStoreRules, 'odd "other"', ({ openSessions }) => openSessions()];
for (const [index, { name, check }] of rules.entries()) {
  const opened = [];
  let problem;
  try {
    for (const which of ["one", other]) opened.push(await openStore(driver, address, `${which} ${index}`));
    await check(...(await Promise.all(opened.map(storeOf))));
  } catch (error) {
    problem = String(error?.stack ?? error);
  }
  console.log(JSON.stringify({ name, problem }));
  for (const { close } of opened) await close();
}
