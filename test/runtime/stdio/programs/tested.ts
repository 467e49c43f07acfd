import "@mcpgen/runtime/stdio-guard";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

// A file of tests that imports a server with the guard, and starts one, which inherits all variables.

if (process.argv[2] === "server") console.log("a line of the server");
else {
  void test("one", () => {});
  void test("two", () => {
    const { stdout } = spawnSync(process.execPath, [process.argv[1]!, "server"], { encoding: "utf8" });
    if (stdout !== "") throw new Error(`on standard output: ${stdout}`);
  });
}
