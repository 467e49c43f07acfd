import { contenders, floor, legacy } from "../contenders.mjs";
import { initialize } from "../messages.mjs";
import { ProcessUnderTest } from "../process-under-test.mjs";
import { takeTurns } from "../turns.mjs";

/**
 * The CPU time from the start of the process to the answer to `initialize`. The floor is the start of Node
 * itself.
 */
export const startUpRow = {
  name: "start-up to the answer to initialize",
  unit: "ms",
  bar: [1.2, floor],
  measure: ({ rounds }) =>
    takeTurns(contenders(), rounds, async ({ server: file }) => {
      const server = new ProcessUnderTest(file);
      server.send(initialize(legacy));
      await server.receive();
      const spent = await server.cpu();
      await server.end();
      return spent / 1000;
    }),
};
