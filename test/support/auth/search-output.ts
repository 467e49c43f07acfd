// Set-up of all tests. After each file of authorization tests, checks that no output contains a secret.
import { afterAll, expect } from "vitest";

const { testPath = "" } = expect.getState();

if (/[\\/]test[\\/](?:auth|command[\\/]login)[\\/]/.test(testPath)) {
  const { SecretWatch } = await import("./secrets.js");
  const watch = new SecretWatch();
  afterAll(() => {
    watch.end();
    expect(watch.leaks(), "this output holds a secret").toEqual([]);
  });
}
