import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "../../generator/files/regular-file.js";

test("text of any length is hashed as UTF-8, whatever stands where its parts meet", () => {
  for (const length of [0, 1, 65_535, 65_536, 65_537, 131_072]) {
    for (const tail of ["", "é", "😀", "😀😀", "\ud83d", "\ude00"]) {
      const text = "a".repeat(Math.max(0, length - 1)) + tail + "😀".repeat(40_000);
      expect(sha256(text)).toBe(createHash("sha256").update(Buffer.from(text, "utf8")).digest("hex"));
    }
  }
});
