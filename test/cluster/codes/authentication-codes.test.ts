import { describe, expect, test } from "vitest";
import { AuthenticationCodes, codeLength } from "../../../runtime/cluster/codes/authentication-codes.js";

const [secret, older] = ["s".repeat(32), "t".repeat(32)] as const;
const codes = new AuthenticationCodes([secret, older], "test");
const alphabet = /^[\w-]{12}$/;

describe("authentication codes", () => {
  test("have one length, and are the same in each process", () => {
    for (const text of ["", "text", "x".repeat(4096), "ünïcode", "𝕌"]) {
      const code = codes.codeOf(text);
      expect(code).toMatch(alphabet);
      expect(code).toHaveLength(codeLength);
      expect(new AuthenticationCodes([secret], "test").codeOf(text)).toBe(code);
      expect(codes.secretOf(text, code)).toBe(0);
    }
  });

  test("stay the same between releases, because a rolling deploy mixes two of them", () => {
    expect(codes.codeOf("text")).toBe("QlOGuCowxhaE");
  });

  test("identify the secret that made them", () => {
    const before = new AuthenticationCodes([older], "test");
    expect(codes.secretOf("text", before.codeOf("text"))).toBe(1);
    expect(before.secretOf("text", codes.codeOf("text"))).toBe(-1);
  });

  test("differ with the purpose and the text", () => {
    const made = [
      codes.codeOf("text"),
      new AuthenticationCodes([secret], "other").codeOf("text"),
      codes.codeOf("text "),
      codes.codeOf("tex"),
      codes.codeOf(""),
    ];
    expect(new Set(made).size).toBe(made.length);
  });

  test.each([
    "",
    "A",
    "A".repeat(11),
    "A".repeat(13),
    "ä".repeat(12),
    "ä".repeat(6),
    "A".repeat(12),
    "\u0000".repeat(12),
  ])("reject %j", (code) => {
    expect(codes.secretOf("text", code)).toBe(-1);
  });

  test("reject each changed character", () => {
    const code = codes.codeOf("text");
    for (let at = 0; at < code.length; at++) {
      const changed = code.slice(0, at) + (code[at] === "A" ? "B" : "A") + code.slice(at + 1);
      expect(codes.secretOf("text", changed)).toBe(-1);
    }
  });
});
