import { randomUUID } from "node:crypto";

/** Entries of a keychain by account. */
export interface Entries {
  get(account: string): Promise<string | undefined>;
  set(account: string, value: string): Promise<void>;
  remove(account: string): Promise<void>;
}

/** Characters of an entry at most: `secret-tool` cuts a text after 8,192 bytes, `security` a line after 4,096. */
const longest = 3000;

const encoded = (text: string): string => Buffer.from(text).toString("base64");
const decoded = (word: string): string => Buffer.from(word, "base64").toString();

/** The accounts of the parts that an entry names; `undefined` if it holds the text itself. */
function partsIn(account: string, entry: string | undefined): string[] | undefined {
  const [, count, id] = /^\*(\d{1,3})\.([\da-f-]{36})$/.exec(entry ?? "") ?? [];
  return id === undefined
    ? undefined
    : Array.from({ length: Number(count) }, (_, at) => `${account}.${id}.${at}`);
}

/** Keeps texts of any length, and with any characters, in entries that hold short words. */
export function longTexts(entries: Entries): Entries {
  const removeParts = async (account: string, entry: string | undefined): Promise<void> => {
    for (const part of partsIn(account, entry) ?? []) await entries.remove(part);
  };
  return {
    async get(account) {
      let entry = await entries.get(account);
      for (;;) {
        const parts = partsIn(account, entry);
        if (!parts) return entry === undefined ? undefined : decoded(entry);
        const words = await Promise.all(parts.map((part) => entries.get(part)));
        if (words.every((word) => word !== undefined)) return decoded(words.join(""));
        // Another process has replaced the text meanwhile; else it is lost.
        const now = await entries.get(account);
        if (now === entry) return undefined;
        entry = now;
      }
    },
    async set(account, text) {
      const before = await entries.get(account);
      const word = encoded(text);
      if (word.length <= longest) await entries.set(account, word);
      else {
        const entry = `*${Math.ceil(word.length / longest)}.${randomUUID()}`;
        // The entry comes last: who reads it finds all parts.
        for (const [at, part] of partsIn(account, entry)!.entries())
          await entries.set(part, word.slice(at * longest, (at + 1) * longest));
        await entries.set(account, entry);
      }
      await removeParts(account, before);
    },
    async remove(account) {
      const before = await entries.get(account);
      await entries.remove(account);
      await removeParts(account, before);
    },
  };
}
