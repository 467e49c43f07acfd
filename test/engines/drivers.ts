// Only compiled (types.test.mjs): the stores accept the connections of each driver.
import type { DatabaseSync } from "node:sqlite";
import type { PGlite } from "@electric-sql/pglite";
import { postgresClusterStore, postgresSessionStore, postgresTaskStore } from "@mcpgen/postgres";
import { redisClusterStore, redisSessionStore, redisTaskStore } from "@mcpgen/redis";
import { sqliteTaskStore } from "@mcpgen/sqlite";
import type { Database } from "better-sqlite3";
import type { Cluster, Redis } from "ioredis";
import type { Cluster as ValkeyCluster, Redis as Valkey } from "iovalkey";
import type { Database as WasmDatabase } from "node-sqlite3-wasm";
import type { Client, Pool, PoolClient } from "pg";
import type { RedisClientType, createClient, createCluster } from "redis";

export const inSqlite = (database: DatabaseSync | Database | WasmDatabase) => sqliteTaskStore(database);

export const inPostgres = (client: Client | Pool | PoolClient | PGlite) => postgresTaskStore(client);

export const inRedis = (
  client: Redis | Cluster | Valkey | ValkeyCluster | RedisClientType | ReturnType<typeof createClient>,
) => redisTaskStore(client);

/** As the README of @mcpgen/redis has it. */
export const inCluster = (cluster: ReturnType<typeof createCluster>) =>
  redisTaskStore({ sendCommand: (args) => cluster.sendCommand("{mcpgen-tasks-v1}", false, args) });

export const sessionsInPostgres = (client: Client | Pool | PoolClient | PGlite) =>
  postgresSessionStore(client);

export const sessionsInRedis = (client: Parameters<typeof inRedis>[0]) => redisSessionStore(client);

/** As the README of @mcpgen/redis has it. */
export const sessionsInCluster = (cluster: ReturnType<typeof createCluster>) =>
  redisSessionStore({ sendCommand: (args) => cluster.sendCommand(args[1], false, args) });

export const sharedInPostgres = (client: Pool | PGlite, listening: Client) =>
  postgresClusterStore(client, async () => listening);

export const sharedInRedis = (
  client: Redis | Cluster | Valkey | RedisClientType,
  subscriber: Redis | Cluster | Valkey | ReturnType<typeof createClient>,
) => redisClusterStore(client, subscriber);

// @ts-expect-error its sendCommand takes a key first.
export const notInCluster = (cluster: ReturnType<typeof createCluster>) => redisTaskStore(cluster);
