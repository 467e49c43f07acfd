import { expect, test } from "vitest";
import { AuthError } from "../../../runtime/auth/client.js";

test("an error has a code, a name and its cause", () => {
  const cause = new Error("socket closed");
  const error = new AuthError("auth-metadata-invalid", "the metadata is no JSON", { cause });
  expect(error).toMatchObject({ name: "AuthError", code: "auth-metadata-invalid", cause });
  expect(error).toBeInstanceOf(Error);
});
