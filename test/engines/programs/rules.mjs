// Judges a store by all rules: node rules.mjs tasks|sessions DRIVER ADDRESS. Prints a line of JSON for each rule.
import { sessionStoreRules } from "../../support/store-rules/session-store-rules.mjs";
import { storeRules } from "../../support/store-rules/task-store-rules.mjs";
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
