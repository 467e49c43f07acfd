import { isDeepStrictEqual } from "node:util";
import type { Client, ReadResourceResult } from "@mcpgen/runtime";
import { type Skill, listSkills } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/client";
import { frontmatterOf } from "../skills/frontmatter.js";
import { digestOf } from "../skills/skill-folder.js";

/** All skills that the server lists. It may serve others, too. */
export async function allSkills(client: Client): Promise<Skill[]> {
  const all: Skill[] = [];
  const cursors = new Set<string | undefined>();
  let cursor: string | undefined;
  do {
    cursors.add(cursor);
    const page = await listSkills(client, cursor === undefined ? {} : { cursor });
    all.push(...page.skills);
    cursor = page.nextCursor;
  } while (cursor !== undefined && !cursors.has(cursor));
  return all;
}

/** The content of a file is not what the entry of its skill says: it must not be used. */
export class VerificationError extends Error {
  override readonly name = "VerificationError";
}

/**
 * A skill that was loaded, with the entry by which all its files are checked. A file is fetched when it is read, and not before
 * (skills, lazy retrieval).
 */
export class HeldSkill {
  readonly entry: Skill;
  /** The text of `SKILL.md`. */
  readonly text: string;
  readonly #client: Client;

  private constructor(client: Client, entry: Skill, text: string) {
    this.#client = client;
    this.entry = entry;
    this.text = text;
  }

  /**
   * Reads `SKILL.md`, and compares it with the entry.
   *
   * @throws {VerificationError} its digest, its size or its frontmatter differ
   */
  static async load(client: Client, entry: Skill): Promise<HeldSkill> {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      await verified(client, entry, entry.uri),
    );
    if (!isDeepStrictEqual(frontmatterOf(text), entry.frontmatter))
      throw new VerificationError(`${entry.uri}: its frontmatter is not the one of the entry`);
    return new HeldSkill(client, entry, text);
  }

  /**
   * Reads a file of the skill.
   *
   * @param reference path from the folder of the skill, as in its instructions
   * @throws {VerificationError} the entry does not list the file, or its digest or size differ
   */
  async read(reference: string): Promise<Uint8Array> {
    return verified(this.#client, this.entry, new URL(reference, this.entry.uri).href);
  }
}

async function verified(client: Client, { uri: skill, resources }: Skill, uri: string): Promise<Uint8Array> {
  if (resources === "dynamic") {
    // Without digests, the folder of the skill is the only bound.
    if (uri.startsWith(skill.replace(/[^/]*$/, ""))) return bytesOf(await client.readResource(uri), uri);
    throw new VerificationError(`${uri} does not lie in the folder of ${skill}`);
  }
  const listed = resources.find((file) => file.uri === uri);
  if (!listed) throw new VerificationError(`${uri} is no file of ${skill}`);
  const bytes = bytesOf(await client.readResource(uri), uri);
  if (bytes.length !== listed.size)
    throw new VerificationError(`${uri} has ${bytes.length} bytes; the entry says ${listed.size}`);
  if (digestOf(bytes) !== listed.digest)
    throw new VerificationError(`${uri}: its digest is not the one of the entry`);
  return bytes;
}

/** The bytes of a resource, whose text is UTF-8. */
function bytesOf({ contents: [content] }: ReadResourceResult, uri: string): Uint8Array {
  if (content && "text" in content) return new TextEncoder().encode(content.text as string);
  if (content && "blob" in content) return Buffer.from(content.blob as string, "base64");
  throw new VerificationError(`${uri} has no content`);
}
