import { describe, expect, test } from "vitest";
import { malformedMember, withoutNulls } from "../../../runtime/base/options/members.js";

describe("null in a document of another server", () => {
  test.each(["token_endpoint", "jwks_uri", "scopes_supported", "refresh_token"])(
    "for %s counts as absent",
    (name) => {
      expect(withoutNulls({ [name]: null, other: 1 })).toEqual({ other: 1 });
    },
  );

  test.each(["scope", "client_id", "redirect_uris", "issuer", "resource"])(
    "for %s is malformed: it decides identity or rights",
    (name) => {
      const document = withoutNulls({ [name]: null });
      expect(malformedMember(document, { [name]: "text" })).toBe(`${name}: expected text`);
    },
  );
});
