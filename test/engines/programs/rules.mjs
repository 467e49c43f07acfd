// Judges a store by all rules: node rules.mjs DRIVER ADDRESS. Prints a line of JSON for each rule.
import { storeRules } from "@mcpgen/tasks/testing";
import { openStore } from "../stores.mjs";

const [driver, address] = process.argv.slice(2);
for (const [index, { name, check }] of storeRules.entries()) {
  const stores = [];
  let problem;
  try {
    for (const which of ["one", 'odd "{other}"'])
      stores.push(await openStore(driver, address, `${which} ${index}`));
    await check(...stores.map(({ store }) => store));
  } catch (error) {
    problem = String(error?.stack ?? error);
  }
  console.log(JSON.stringify({ name, problem }));
  for (const { close } of stores) await close();
}
