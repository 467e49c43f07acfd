// Set-up of all tests: at the end of each file of the tests of authorization, no output may hold a secret.
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
