import { createPrivateKey } from "node:crypto";
import { resolve } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";
import { readRegularFile } from "../files/regular-file.js";
import { secrets } from "../secrets/secrets.js";
import type { AuthPackage, Authorizer } from "./auth-package.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Credentials of the environment. */
export interface GivenCredentials {
  /** Names the variables, for messages. */
  readonly from: string;
  authorizer(auth: () => Promise<AuthPackage>): Promise<Authorizer>;
}

/**
 * The credentials that the environment holds, by precedence: a token, the assertion of a platform, a client with a secret or
 * a key, the identity of a job of GitHub Actions. A client id alone is for a login.
 *
 * @param directory relative paths start there
 * @throws CodedError MG2017 for variables that do not fit together
 */
export function credentialsOf(env: Environment, directory: string): GivenCredentials | undefined {
  const { MCPGEN_TOKEN: token, MCPGEN_ASSERTION_FILE: file, MCPGEN_ISSUER: issuer } = env;
  if (token) return { from: "MCPGEN_TOKEN", authorizer: async () => fixedToken(token) };
  const { MCPGEN_CLIENT_ID: id, MCPGEN_CLIENT_SECRET: secret, MCPGEN_CLIENT_KEY_FILE: keyFile } = env;
  const scopes = scopesOf(env);
  const shared = {
    ...(issuer && { issuer }),
    ...(scopes && { scopes }),
    ...networkOf(env),
    ...exceptionsOf(env),
  };
  if (file) {
    const assertion = async (): Promise<string> =>
      readText(resolve(directory, file), "MCPGEN_ASSERTION_FILE").trim();
    return workload("MCPGEN_ASSERTION_FILE", { ...shared, assertion, ...(id && { clientId: id }) });
  }
  if (secret && keyFile)
    throw wrong("MCPGEN_CLIENT_SECRET and MCPGEN_CLIENT_KEY_FILE are both set", "Unset one.");
  if (secret || keyFile) {
    const from = secret ? "MCPGEN_CLIENT_SECRET" : "MCPGEN_CLIENT_KEY_FILE";
    if (!id) throw wrong(`${from} is set, and MCPGEN_CLIENT_ID is not`, "Set MCPGEN_CLIENT_ID, too.");
    return {
      from: `MCPGEN_CLIENT_ID and ${from}`,
      authorizer: async (auth) => {
        const { clientCredentials } = await auth();
        const proof = secret ? { secret } : { key: await keyOf(resolve(directory, keyFile!)) };
        return clientCredentials({ ...shared, id, ...proof });
      },
    };
  }
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: request } = env;
  if (!url || !request || !issuer) return undefined;
  const assertion = (): Promise<string> => githubToken(url, request, issuer);
  return workload("the identity of this job of GitHub Actions", {
    ...shared,
    assertion,
    ...(id && { clientId: id }),
  });
}

/** MCPGEN_PRIVATE_NETWORK lets authorization servers have private addresses. */
export function networkOf({ MCPGEN_PRIVATE_NETWORK: given }: Environment): {
  readonly privateNetwork?: true;
} {
  return given ? { privateNetwork: true } : {};
}

/**
 * What MCPGEN_PKCE and MCPGEN_RESOURCE say that the authorization server of MCPGEN_ISSUER does otherwise.
 *
 * @throws CodedError MG2017 for another value, or without an issuer
 */
export function exceptionsOf(env: Environment): { readonly issuers?: Readonly<Record<string, object>> } {
  const { MCPGEN_ISSUER: issuer, MCPGEN_PKCE: pkce, MCPGEN_RESOURCE: resource } = env;
  const expect = (name: string, given: string | undefined, only: string): void => {
    if (!given) return;
    if (given !== only)
      throw wrong(`${name} has another value than ${only}`, `Set it to ${only}, or unset it.`);
    if (!issuer)
      throw wrong(`${name} is set, and MCPGEN_ISSUER is not`, "Set MCPGEN_ISSUER: it holds for one issuer.");
  };
  expect("MCPGEN_PKCE", pkce, "assumed");
  expect("MCPGEN_RESOURCE", resource, "omit");
  if (!issuer || (!pkce && !resource)) return {};
  return { issuers: { [issuer]: { ...(pkce && { pkce }), ...(resource && { resource }) } } };
}

/** Scopes of MCPGEN_SCOPES, separated by spaces. */
export function scopesOf({ MCPGEN_SCOPES: text = "" }: Environment): readonly string[] | undefined {
  const scopes = text.split(/\s+/).filter((scope) => scope !== "");
  return scopes.length > 0 ? scopes : undefined;
}

function workload(from: string, options: object): GivenCredentials {
  return { from, authorizer: async (auth) => (await auth()).workloadIdentity(options) };
}

/** A token that is sent as it is, over https or to this machine; a refusal is final. */
function fixedToken(token: string): Authorizer {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw wrong("MCPGEN_TOKEN holds characters that no token has", "Check it for line ends and spaces.");
  return {
    authorize({ url, attempt }) {
      if (attempt > 0) return undefined;
      const { protocol, hostname } = new URL(url);
      if (protocol !== "https:" && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))
        throw wrong("MCPGEN_TOKEN is not sent over http", "Give the URL with https.");
      return { authorization: `Bearer ${token}` };
    },
  };
}

/** A private key: PKCS #8 in PEM, or a JWK; the algorithm follows from its type. */
async function keyOf(file: string): Promise<object> {
  const text = readText(file, "MCPGEN_CLIENT_KEY_FILE");
  try {
    if (!text.trimStart().startsWith("{")) return { pem: text, alg: algorithmOf(createPrivateKey(text)) };
    const jwk = JSON.parse(text) as { readonly alg?: string; readonly kid?: string };
    const alg = jwk.alg ?? algorithmOf(createPrivateKey({ key: jwk as never, format: "jwk" }));
    return { jwk, alg, ...(jwk.kid !== undefined && { kid: jwk.kid }) };
  } catch {
    throw wrong("MCPGEN_CLIENT_KEY_FILE is no private key", "Give PKCS #8 in PEM, or a JWK.");
  }
}

const curves: Readonly<Record<string, string>> = {
  prime256v1: "ES256",
  secp384r1: "ES384",
  secp521r1: "ES512",
};

function algorithmOf({
  asymmetricKeyType,
  asymmetricKeyDetails,
}: ReturnType<typeof createPrivateKey>): string {
  if (asymmetricKeyType === "rsa") return "RS256";
  if (asymmetricKeyType === "ed25519") return "EdDSA";
  return curves[asymmetricKeyDetails?.namedCurve ?? ""] ?? "ES256";
}

/** Milliseconds that GitHub may take to sign. */
const githubTimeout = 10_000;

async function githubToken(url: string, request: string, audience: string): Promise<string> {
  const to = new URL(url);
  to.searchParams.set("audience", audience);
  const headers = { authorization: `Bearer ${request}`, accept: "application/json" };
  const response = await fetch(to, {
    headers,
    redirect: "error",
    signal: AbortSignal.timeout(githubTimeout),
  });
  const { value } = (await response.json()) as { readonly value?: unknown };
  if (response.ok && typeof value === "string") {
    secrets.learn(value);
    return value;
  }
  throw wrong(
    `GitHub Actions gave no identity: ${response.status}`,
    "Check `permissions: id-token: write` of the job.",
  );
}

/** A file of a token or a key has at most so many bytes. */
const tokenBytes = 1024 * 1024;

function readText(file: string, variable: string): string {
  try {
    const text = readRegularFile(file, { limit: tokenBytes }).toString("utf8");
    // A key as JSON is secret in its private members.
    secrets.learnStored(text);
    return text;
  } catch (cause) {
    const reason = (cause as CodedError).message;
    throw wrong(
      `the file of ${variable} cannot be read: ${reason}`,
      "Check its path and permissions.",
      cause,
    );
  }
}

function wrong(message: string, next: string, cause?: unknown): CodedError {
  return new CodedError("MG2017", message, { next, ...(cause !== undefined && { cause }) });
}
