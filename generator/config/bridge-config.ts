import { FileForm } from "../files/file-form.js";
import { readJsonConfig } from "./config.js";

/** The content of a bridge's configuration file (docs/bridge.schema.json describes each key). */
export interface BridgeConfig {
  readonly servers: Readonly<Record<string, BridgedServer>>;
  readonly contract?: string;
  readonly frozen?: boolean;
  readonly ask?: readonly string[];
  readonly headers?: readonly string[];
  readonly identity?: string;
  readonly http?: BridgeHttp;
}

export interface BridgedServer {
  readonly source: string;
  readonly login?: boolean;
  readonly prefix?: string;
  readonly revision?: string;
  readonly tools?: readonly string[];
  readonly share?: string;
}

/** Where a bridge listens. */
export interface BridgeHttp {
  readonly port: number;
  readonly host?: string;
  readonly sse?: boolean;
}

const form = new FileForm("bridge", { unknownKey: "MG2102", wrongValue: "MG2103" });

/** @throws CodedError MG2101, MG2102, MG2103 */
export function readBridgeConfig(file: string): Promise<BridgeConfig> {
  return readJsonConfig<BridgeConfig>(file, form);
}
