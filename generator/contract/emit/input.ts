import type { Render } from "../../print/templates.js";
import type { ContractDocument } from "../contract.js";
import type { ContractNames } from "./names.js";
import type { ToolSchemas } from "./tool-schemas.js";

/** Whom output is for. */
export type ContractRole = "client" | "server" | "both";

/** The input of the emitters of contracts. */
export interface ContractInput {
  readonly document: ContractDocument;
  readonly names: ContractNames;
  /** In the contract's order. */
  readonly tools: readonly ToolSchemas[];
  readonly role: ContractRole;
  /** The file in the header: the contract's file, without its folder. */
  readonly origin: string;
  readonly importExtension: "js" | "ts";
  /** Whether `format` is checked where a schema's own meta-schema does not ask for it. */
  readonly formats: "annotation" | "assertion";
  readonly render: Render;
}
