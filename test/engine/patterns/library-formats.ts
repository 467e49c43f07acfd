import { type } from "arktype";
import * as v from "valibot";
import * as z from "zod";

/** The patterns of a library's text formats, by their names. */
type Formats = ReadonlyMap<string, readonly string[]>;

/** Every pattern in a JSON Schema. */
function patternsIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { pattern } = schema as { pattern?: unknown };
  return [
    ...(typeof pattern === "string" ? [pattern] : []),
    ...Object.values(schema).flatMap((inner) => patternsIn(inner)),
  ];
}

/** Schemas of zod that need arguments, in addition to those without. */
const zodVariants: { readonly [name: string]: z.ZodType } = {
  "email (html5)": z.email({ pattern: z.regexes.html5Email }),
  "email (rfc5322)": z.email({ pattern: z.regexes.rfc5322Email }),
  "email (unicode)": z.email({ pattern: z.regexes.unicodeEmail }),
  "email (browser)": z.email({ pattern: z.regexes.browserEmail }),
  "email (idn)": z.email({ pattern: z.regexes.idnEmail }),
  "url (hostname)": z.url({ hostname: z.regexes.domain, protocol: z.regexes.httpProtocol }),
  "uuid (v1)": z.uuid({ version: "v1" }),
  "uuid (v8)": z.uuid({ version: "v8" }),
  "mac (-)": z.mac({ delimiter: "-" }),
  ...Object.fromEntries(
    (["md5", "sha1", "sha256", "sha384", "sha512"] as const).flatMap((algorithm) =>
      (["hex", "base64", "base64url"] as const).map((enc) => [
        `${algorithm} (${enc})`,
        z.hash(algorithm, { enc }),
      ]),
    ),
  ),
  "iso.time (precision)": z.iso.time({ precision: 3 }),
  "iso.datetime (offset)": z.iso.datetime({ offset: true }),
  "iso.datetime (local)": z.iso.datetime({ local: true, precision: -1 }),
  "duration (extended)": z.string().regex(z.regexes.extendedDuration),
  startsWith: z.string().startsWith("a.b"),
  endsWith: z.string().endsWith("a.b"),
  includes: z.string().includes("a.b"),
  lowercase: z.string().lowercase(),
  uppercase: z.string().uppercase(),
  templateLiteral: z.templateLiteral(["a", z.number(), z.enum(["b", "c"]), z.email()]),
};

const zodNames = [
  ...["email", "guid", "uuid", "uuidv4", "uuidv6", "uuidv7", "url", "httpUrl", "hostname", "emoji", "nanoid"],
  ...[
    "cuid",
    "cuid2",
    "ulid",
    "xid",
    "ksuid",
    "ipv4",
    "ipv6",
    "mac",
    "cidrv4",
    "cidrv6",
    "base64",
    "base64url",
  ],
  ...["e164", "jwt", "hex", "creditCard", "iban", "currencyCode"],
] as const;

function formatsOfZod(): Formats {
  const schemas: { readonly [name: string]: z.ZodType } = {
    ...Object.fromEntries(zodNames.map((name) => [name, (z[name] as () => z.ZodType)()])),
    ...Object.fromEntries(
      (["date", "time", "datetime", "duration"] as const).map((name) => [`iso.${name}`, z.iso[name]()]),
    ),
    ...zodVariants,
  };
  return new Map(Object.entries(schemas).map(([name, schema]) => [name, patternsIn(z.toJSONSchema(schema))]));
}

function formatsOfValibot(): Formats {
  const named = Object.entries(v).flatMap(([name, value]) =>
    value instanceof RegExp ? [[name, [value.source]] as const] : [],
  );
  return new Map(named);
}

const arktypeNames = [
  ...[
    "alpha",
    "alphanumeric",
    "hex",
    "base58",
    "base64",
    "base64.url",
    "capitalize.preformatted",
    "creditCard",
  ],
  ...["date", "date.iso", "date.epoch", "digits", "email", "integer", "ip", "ip.v4", "ip.v6", "json"],
  ...["lower.preformatted", "numeric", "regex", "semver", "trim.preformatted", "upper.preformatted", "url"],
  ...["uuid", ...[1, 2, 3, 4, 5, 6, 7, 8].map((version) => `uuid.v${version}`)],
];

function formatsOfArktype(): Formats {
  return new Map(
    arktypeNames.map((name) => {
      // arktype has no JSON Schema for checks by functions: `fallback` uses the schema without these checks.
      const schema = type(`string.${name}` as "string.email");
      return [name, patternsIn(schema.in.toJsonSchema({ fallback: ({ base }) => base }))];
    }),
  );
}

/** The text formats of each library, as tests name it and `docs/patterns.md` does. */
export const libraryFormats: { readonly [library: string]: Formats } = {
  zod: formatsOfZod(),
  valibot: formatsOfValibot(),
  arktype: formatsOfArktype(),
};
