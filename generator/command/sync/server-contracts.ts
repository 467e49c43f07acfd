import { resolve } from "node:path";
import { generatedContracts } from "../../config/config.js";
import { type LoadContract, loadContract } from "../../contract/read-contract.js";
import { completable } from "../../contract/completable.js";
import { type Wanted, wantedMembers } from "../../sync/wanted.js";
import type { CommandContext } from "../command.js";
import type { Project } from "../project.js";
import { shownPath } from "../../print/terminal-text.js";

/** A contract whose server is in the project. */
export interface ServerContract {
  /** The contract's path in messages. */
  readonly file: string;
  /** The folder of the code generated from the contract. */
  readonly out: string;
  readonly wanted: Wanted;
  /** Names of the tools that may run as tasks (`task` in the contract). */
  readonly tasks: readonly string[];
  /** Names of the arguments with completion, by prompt or URI template. */
  readonly completable: ReadonlyMap<string, readonly string[]>;
}

/**
 * The contracts that the configuration names with the role server or both.
 *
 * @param load function that reads a contract
 */
export async function serverContracts(
  { loaded }: Project,
  { directory }: CommandContext,
  load: LoadContract = loadContract,
): Promise<ServerContract[]> {
  const configured = generatedContracts(loaded.config).filter(({ role }) => role !== "client");
  return Promise.all(
    configured.map(async ({ file, out }) => {
      const shown = shownPath(loaded.folder, directory, file);
      const { contract } = await load(resolve(loaded.folder, file), shown);
      return {
        file: shown,
        out: resolve(loaded.folder, out),
        wanted: wantedMembers(contract),
        tasks: (contract.tools ?? []).filter(({ task }) => task !== undefined).map(({ name }) => name),
        completable: completable(contract),
      };
    }),
  );
}
