import { Breaker } from "@mcpgen/base";

/**
 * Makes all stores of this process wait until their database answers, for tests that measure no such wait: on a loaded machine,
 * a database may take longer than the 2 seconds after which a store gives up.
 */
export function waitForDatabases() {
  Breaker.prototype.run = async (command) => command();
}
