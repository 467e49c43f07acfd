import type { Server, ServerOptions } from "@mcpgen/runtime";

export function fixture(options?: Partial<ServerOptions>): Server;
