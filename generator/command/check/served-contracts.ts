import type { ContractConfig } from "../../config/config.js";
import type { Project } from "../project.js";

/** A contract of the configuration whose server is known. */
export type ServedContract = ContractConfig & { readonly server: string };

/** The contracts of the configuration that name their server. */
export function servedContracts({ loaded }: Project): ServedContract[] {
  return (loaded.config.contracts ?? []).filter(
    (contract): contract is ServedContract => contract.server !== undefined,
  );
}
