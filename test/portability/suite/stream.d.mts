import type { Client, ConnectOptions } from "@mcpgen/runtime";

export function streamCases(transport: string): readonly {
  readonly name: string;
  run(open: (options: Partial<ConnectOptions>) => Promise<Client>): Promise<void>;
}[];
