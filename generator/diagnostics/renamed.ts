const listener = "the option onEvent, whose events have types";

const rules = "nothing: the rules of stores are tests of mcpgen's repository, in test/support/store-rules";

/**
 * Removed package entries and names, with their replacements. Entries are kept for one minor version.
 * docs/migration.md lists the same.
 */
export const renamed: { readonly [name: string]: string } = {
  "@mcpgen/runtime/cluster": "@mcpgen/cluster",
  "@mcpgen/runtime/fetch": "@mcpgen/runtime/http",
  "@mcpgen/runtime/health": "@mcpgen/cluster",
  "@mcpgen/runtime/limits": "@mcpgen/observe",
  "@mcpgen/runtime/logging": "@mcpgen/observe",
  "@mcpgen/runtime/otel": "@mcpgen/observe/otel",
  "@mcpgen/runtime/peer": "@mcpgen/apps",
  "@mcpgen/runtime/post-message": "@mcpgen/apps",
  "@mcpgen/runtime/sealed-sessions": "@mcpgen/cluster/sealed-sessions",
  "@mcpgen/runtime/testing": "@mcpgen/testing",
  "@mcpgen/tasks/testing": rules,
  ClientErrorListener: listener,
  ClusterTableOptions: "PostgresClusterStoreOptions",
  ErrorListener: listener,
  LossListener: listener,
  SessionTableOptions: "PostgresSessionStoreOptions",
  clusterStoreRules: rules,
  sampleSession: rules,
  sampleTask: rules,
  sessionStoreRules: rules,
  storeRules: rules,
};
