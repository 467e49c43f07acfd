import "@mcpgen/runtime/stdio-guard";
import { test } from "node:test";

// A file of tests that imports a server with the guard.

void test("one", () => {});
void test("two", () => {});
