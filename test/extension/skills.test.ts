import { describe, expect, test } from "vitest";
import * as at20250618 from "../../generated/extensions/io.modelcontextprotocol/skills/2025-06-18/validators.js";
import * as at20251125 from "../../generated/extensions/io.modelcontextprotocol/skills/2025-11-25/validators.js";
import * as at20260728 from "../../generated/extensions/io.modelcontextprotocol/skills/2026-07-28/validators.js";

// Compares the text of the extension about its messages with the validators of its schema.

const digest = `sha256:${"0a".repeat(32)}`;
const uri = "skill://acme/billing/refunds/SKILL.md";
const file = { uri, digest, size: 3871 };
const skill = {
  uri,
  frontmatter: {
    name: "refunds",
    description: "Refunds of orders",
    license: "MIT",
    metadata: { version: "2.1.0" },
  },
  resources: [file, { uri: "skill://acme/billing/refunds/examples/email.md", digest, size: 0 }],
};
const generated = { ...skill, resources: "dynamic" };
const hints = { ttlMs: 300_000, cacheScope: "public" };
const complete = { resultType: "complete", ...hints };

describe.each([
  ["2025-06-18", at20250618],
  ["2025-11-25", at20251125],
  ["2026-07-28", at20260728],
] as const)("at %s", (revision, validators) => {
  const isModern = revision === "2026-07-28";
  const added = isModern ? complete : {};
  const { isGetSkillResult, isListSkillsResult, isReadResourceDirectoryResult, isSkillsSettings } =
    validators;

  test("a listing and an entry are accepted, with and without manifests", () => {
    expect(isListSkillsResult({ skills: [skill, generated], nextCursor: "2", ...added })).toBe(true);
    expect(isListSkillsResult({ skills: [], ...added })).toBe(true);
    expect(isGetSkillResult({ skill, ...added })).toBe(true);
    expect(isGetSkillResult({ skill: generated, ...added })).toBe(true);
  });

  test.each([
    ["without resources", { ...skill, resources: undefined }],
    ["whose resources are another text", { ...skill, resources: "none" }],
    ["whose resources are null", { ...skill, resources: null }],
    ["without a URI", { ...skill, uri: undefined }],
    ["without frontmatter", { ...skill, frontmatter: undefined }],
    ["without a name", { ...skill, frontmatter: { description: "Refunds" } }],
    ["without a description", { ...skill, frontmatter: { name: "refunds" } }],
    ["with a digest in capitals", { ...skill, resources: [{ ...file, digest: digest.toUpperCase() }] }],
    ["with a digest that is too short", { ...skill, resources: [{ ...file, digest: digest.slice(0, -1) }] }],
    ["with a file without a size", { ...skill, resources: [{ uri, digest }] }],
    ["with half a byte", { ...skill, resources: [{ ...file, size: 0.5 }] }],
    ["with a negative size", { ...skill, resources: [{ ...file, size: -1 }] }],
  ])("an entry %s is refused", (_, entry) => {
    const sent: unknown = JSON.parse(JSON.stringify(entry));
    expect(isGetSkillResult({ skill: sent, ...added })).toBe(false);
    expect(isListSkillsResult({ skills: [sent], ...added })).toBe(false);
  });

  test("a directory is a page of resources", () => {
    const type = isModern ? { resultType: "complete" } : {};
    const resources = [
      { uri: "skill://refunds/SKILL.md", name: "SKILL.md", mimeType: "text/markdown" },
      { uri: "skill://refunds/examples", name: "examples", mimeType: "inode/directory" },
    ];
    expect(isReadResourceDirectoryResult({ resources, nextCursor: "2", ...type })).toBe(true);
    expect(isReadResourceDirectoryResult({ resources: [], ...type })).toBe(true);
    expect(isReadResourceDirectoryResult({ ...type })).toBe(false);
  });

  test("the settings are an object with an optional flag", () => {
    expect([{}, { directoryRead: true }, { directoryRead: false }].map(isSkillsSettings)).toEqual([
      true,
      true,
      true,
    ]);
    expect([[], true, { directoryRead: "yes" }].map(isSkillsSettings)).toEqual([false, false, false]);
  });
});

test("at 2026-07-28 a listing and an entry have cache hints, and a directory may have them", () => {
  const { isGetSkillResult, isListSkillsResult, isReadResourceDirectoryResult } = at20260728;
  const resultType = "complete";
  expect(isListSkillsResult({ skills: [], resultType })).toBe(false);
  expect(isGetSkillResult({ skill, resultType })).toBe(false);
  expect(isReadResourceDirectoryResult({ resources: [], resultType })).toBe(true);
});
