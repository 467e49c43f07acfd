import fc from "fast-check";
import { expect, test } from "vitest";
import { isSecretName, publicUrl, Secrets } from "../../generator/secrets/secrets.js";
import { cases, seed } from "../support/cases.mjs";

const runs = { numRuns: cases(10_000), seed };

/**
 * Few characters, so that secrets overlap, repeat themselves and contain one another. Some have a special meaning in a
 * format.
 */
const characters = fc.constantFrom(...'aab.*$\\"/+é … \u{1f600}%\n');
const secretText = fc.oneof(
  fc.string({ unit: characters, maxLength: 14 }),
  fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 30 }),
  fc.string({ maxLength: 20 }),
);
const secretSet = fc.array(secretText, { maxLength: 6 });

function knowing(known: readonly string[]): Secrets {
  const secrets = new Secrets();
  for (const secret of known) secrets.learn(secret);
  return secrets;
}

/** The secrets that count, the lines of longer ones among them, and how texts spell them. */
const counted = (known: readonly string[]): string[] =>
  long(long(known).flatMap((secret) => [secret, ...secret.split("\n")]));
const long = (secrets: readonly string[]): string[] =>
  secrets.map((secret) => secret.trim()).filter(({ length }) => length >= 8);
type Spelling = (secret: string) => string;
const json: Spelling = (secret) => JSON.stringify(secret).slice(1, -1);
const percent: Spelling = (secret) => encodeURIComponent(secret.replace(/\p{Surrogate}/gu, "\ufffd"));
const form: Spelling = (secret) => new URLSearchParams({ "": secret }).toString().slice(1);
const withSlashes: Spelling = (text) => text.split("/").join("\\/");
const inAscii: Spelling = (text) =>
  [...Array(text.length).keys()]
    .map((at) => text.charCodeAt(at))
    .map((code) =>
      code >= 32 && code < 127 ? String.fromCharCode(code) : `\\u${code.toString(16).padStart(4, "0")}`,
    )
    .join("");
const lowered: Spelling = (text) => text.replace(/%../g, (code) => code.toLowerCase());

const spelled: readonly Spelling[] = [
  (secret) => secret,
  json,
  (secret) => withSlashes(json(secret)),
  (secret) => inAscii(json(secret)),
  (secret) => inAscii(withSlashes(json(secret))),
  percent,
  (secret) => lowered(percent(secret)),
  form,
  (secret) => lowered(form(secret)),
  (secret) => Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  (secret) => Buffer.from(secret).toString("base64url"),
];

/** Every character of `text` that no occurrence of a spelling covers, by the simplest code. */
function uncovered(text: string, known: readonly string[]): string {
  const hit = new Uint8Array(text.length);
  for (const secret of counted(known))
    for (const spell of spelled)
      for (let at = text.indexOf(spell(secret)); at >= 0; at = text.indexOf(spell(secret), at + 1))
        hit.fill(1, at, at + spell(secret).length);
  return [...Array(text.length).keys()].map((at) => (hit[at] ? "\0" : text[at])).join("");
}

/** A text in which spellings of secrets stand, whole and in part, one over the other. */
const mixed = secretSet.chain((known) =>
  fc.record({
    known: fc.constant(known),
    text: fc
      .array(
        fc.oneof(
          fc.string({ unit: characters, maxLength: 8 }),
          ...(known.length === 0
            ? []
            : [
                fc
                  .tuple(fc.constantFrom(...known), fc.constantFrom(...spelled), fc.nat(20), fc.nat(20))
                  .map(([secret, spell, from, to]) => {
                    const whole = spell(secret);
                    return from > 5 ? whole : whole.slice(from, whole.length - Math.min(to, 3));
                  }),
                fc
                  .tuple(fc.constantFrom(...known), fc.constantFrom(...spelled))
                  .map(([secret, spell]) => spell(secret)),
              ]),
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join("")),
  }),
);

test("no byte of a secret survives, whatever the text and the secrets; all else is unchanged", () => {
  fc.assert(
    fc.property(mixed, ({ known, text }) => {
      const shown = knowing(known).hide(text);
      // Except for marks, the shown text is the text that no spelling covers. A cut secret may be hidden, too, if the
      // mark of a cut follows it.
      const kept = uncovered(text, known);
      if (!text.includes("…")) expect(pieces(shown)).toEqual(pieces(kept));
      for (const secret of counted(known))
        for (const spell of spelled) expect(shown).not.toContain(spell(secret));
    }),
    runs,
  );
});

/** A text without marks and without what was covered. */
function pieces(text: string): string {
  return text.replace(/[\0…\u2580-\u25ff]/g, "");
}

test("a text in pieces is shown like the whole text, wherever it was cut", () => {
  fc.assert(
    fc.property(mixed, fc.array(fc.nat(60)), ({ known, text }, cuts) => {
      const stream = knowing(known).stream();
      let [shown, rest] = ["", text];
      for (const at of cuts) {
        shown += stream.push(rest.slice(0, at));
        rest = rest.slice(at);
      }
      shown += stream.push(rest) + stream.end();
      expect(shown).toBe(knowing(known).hide(text));
    }),
    runs,
  );
});

test("JSON stays JSON, and keys lose secrets, too", () => {
  const secrets = knowing(['"token": "quoted"', "top-secret-value"]);
  const value = {
    a: ["x top-secret-value y", 1, null, true],
    "top-secret-value": { b: 'say "token": "quoted"' },
  };
  expect(secrets.hideIn(value)).toEqual({ a: ["x … y", 1, null, true], "…": { b: "say …" } });
  fc.assert(
    fc.property(fc.jsonValue(), (any) => {
      expect(JSON.stringify(secrets.hideIn(any))).toBe(JSON.stringify(any));
    }),
    runs,
  );
});

test("the beginning of a secret before a cut mark is also hidden", () => {
  const secrets = knowing(["abcdefghijklmnop"]);
  expect(secrets.hide("got abcdefghij…")).toBe("got ……");
  expect(secrets.hide("got abc… of it")).toBe("got abc… of it");
});

test("time is linear in the text, even for secrets that repeat themselves", () => {
  const secrets = knowing([`${"a".repeat(2_000)}b`, "a".repeat(1_999), "ab".repeat(500)]);
  const text = "a".repeat(200_000);
  let steps = 0;
  // Counts the characters that are read, one by one.
  const counting = new Proxy(Object(text) as object, {
    get: (_, name) => {
      if (typeof name === "string" && /^\d+$/.test(name)) steps++;
      const member: unknown = Reflect.get(String.prototype, name);
      if (name === "length") return text.length;
      return typeof member === "function"
        ? member.bind(text)
        : (text as unknown as Record<string, unknown>)[name as string];
    },
  });
  expect(secrets.hide(counting as unknown as string)).toMatch(/^…+$/);
  // Two comparisons for each character and each spelling at most.
  expect(steps).toBeLessThan(40 * text.length);
});

test.each<[(secrets: Secrets) => void, text: string, shown: string]>([
  [(s) => s.learnHeaders([["Authorization", "Bearer the-token-1"]]), "Bearer the-token-1", "Bearer …"],
  [(s) => s.learnHeaders([["X-Api-Key", "key-12345678"]]), "got key-12345678", "got …"],
  [(s) => s.learnHeaders([["Accept", "application/json"]]), "application/json", "application/json"],
  [(s) => s.learnHeaders([["Cookie", "a=1; sid=session-value"]]), "sid=session-value", "sid=…"],
  [(s) => s.learnUrl("https://me:pass%20word@a.example/x"), "pass word or pass%20word", "… or …"],
  [(s) => s.learnUrl("https://me:password@a.example/"), `Basic ${btoa("me:password")}`, "Basic …="],
  [(s) => s.learnHeaders([["Authorization", `Basic ${btoa("me:pass-word")}`]]), "pass-word", "…"],
  [
    (s) => s.learnUrl("https://a.example/?api_key=12345678&v=2025-11-25"),
    "12345678 2025-11-25",
    "… 2025-11-25",
  ],
  [(s) => s.learnVariables({ DB: "postgres://u:database-pw@h/x" }), "database-pw", "…"],
  [(s) => s.learnVariables({ PWD: "/home/me/project" }), "/home/me/project", "/home/me/project"],
  [(s) => s.learnWords(["node", "x.js", "--api-key", "from-option"]), "from-option", "…"],
  [(s) => s.learnWords(["--header", "Authorization: Bearer abcdefgh"]), "Bearer abcdefgh", "…"],
  [
    (s) => s.learnStored('{"access_token":"stored-token","token_type":"DPoP-long"}'),
    "stored-token DPoP-long",
    "… DPoP-long",
  ],
  [
    (s) => s.learnStored('{"jwk":{"kty":"EC","d":"private-part","x":"public-part"}}'),
    "private-part public-part",
    "… public-part",
  ],
  [(s) => s.learn("  padded-secret\n"), "padded-secret", "…"],
  [(s) => s.learn("short"), "short", "short"],
])("%s hides %j", (learn, text, shown) => {
  const secrets = new Secrets();
  learn(secrets);
  expect(secrets.hide(text)).toBe(shown);
});

test("the lines of a private key are secrets, too", () => {
  const secrets = knowing([
    "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG\nByqGSM49AgEG\n-----END PRIVATE KEY-----",
  ]);
  expect(secrets.hide("line 2 is ByqGSM49AgEG")).toBe("line 2 is …");
  expect(secrets.hide("expected -----BEGIN PRIVATE KEY-----")).toBe("expected -----BEGIN PRIVATE KEY-----");
});

test("the number of known secrets is limited, and the newest ones stay", () => {
  const secrets = new Secrets(10_000);
  for (let each = 0; each < 1_000; each++) secrets.learn(`secret number ${each}`);
  expect(secrets.hide("secret number 999, secret number 998")).toBe("…, …");
  expect(secrets.hide("secret number 0")).toBe("secret number 0");
  secrets.learn("x".repeat(20_000));
  expect(secrets.hide("x".repeat(20_000))).toBe("…");
});

test.each([
  "MCPGEN_TOKEN",
  "GITHUB_TOKEN",
  "apiKey",
  "x-api-key",
  "DB_PASSWORD",
  "npm_config__authToken",
  "sig",
])("%s names a secret", (name) => expect(isSecretName(name)).toBe(true));
test.each([
  "PWD",
  "PATH",
  "SSH_AUTH_SOCK",
  "MCPGEN_ASSERTION_FILE",
  "token_endpoint",
  "keyboard",
  "KEY_FILE",
  "monkey",
])("%s does not name a secret", (name) => expect(isSecretName(name)).toBe(false));

test("files contain a URL without its secret parts", () => {
  expect(publicUrl("https://u:p@a.example/x?token=1&v=2")).toBe("https://a.example/x?v=2");
  expect(publicUrl("https://a.example/x%20y?v=2#z")).toBe("https://a.example/x%20y?v=2#z");
});
