import { createLocalJWKSet, errors, type JWK, type JWTPayload, jwtVerify } from "jose";
import { isUnavailable } from "../shared/errors.js";
import { jsonObject } from "../shared/json-object.js";
import type { Client } from "./client.js";
import { isDocumentUrl } from "./client-documents.js";
import { findClient } from "./clients.js";
import { numericDate, sha256, sameText } from "../shared/encoding.js";
import { ownerOf } from "./grants.js";
import { paths, type Proxy } from "./proxy.js";
import type { Parameters } from "./requests.js";
import { Refused } from "./responses.js";

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const assertionAlgorithms = ["ES256", "ES384", "RS256", "PS256", "EdDSA"];
/** Maximum life of an assertion in seconds. */
const maxAssertionSeconds = 600;

interface Presented {
  readonly method: Client["method"];
  readonly id: string;
  readonly secret?: string;
}

/**
 * Authenticates a client by its registered method (RFC 6749, 2.3).
 *
 * @param isOwner whether the login of the request belongs to a client; only then its document is fetched
 * @returns `undefined` if the login does not belong to a client with a document
 * @throws {Refused} `invalid_client` with status 401
 */
export async function authenticatedClient(
  proxy: Proxy,
  request: Request,
  form: Parameters,
  isOwner: (id: string) => Promise<boolean>,
): Promise<Client | undefined> {
  const header = request.headers.get("authorization");
  const presented = header === null ? inForm(form) : inHeader(header, form);
  const refuse = (): Refused => invalidClient(header !== null);
  if (isDocumentUrl(presented.id) && !(await isOwner(presented.id))) return undefined;
  let client: Client | undefined;
  try {
    client = await findClient(proxy.settings, proxy.documents, presented.id, isDocumentUrl(presented.id));
  } catch (error) {
    throw isUnavailable(error) ? error : refuse();
  }
  if (!client || client.method !== presented.method) throw refuse();
  const { method, secret } = client;
  if (method === "none") return client;
  if (method === "private_key_jwt") {
    if (!(await isAssertionOf(proxy, client, presented.secret!))) throw refuse();
    return client;
  }
  // Digests have a fixed length, so that the time of the comparison reveals nothing.
  if (!sameText(await sha256(presented.secret ?? ""), await sha256(secret ?? ""))) throw refuse();
  return client;
}

function inHeader(header: string, form: Parameters): Presented {
  const [, encoded = ""] = /^basic +([\w+/]+={0,2})$/i.exec(header) ?? [];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(latin1(encoded)) ?? [];
  if (id === undefined || secret === undefined) throw invalidClient(true);
  if (form.get("client_secret") !== undefined || form.get("client_assertion") !== undefined)
    throw new Refused("invalid_request", "the client authenticates in two ways");
  const presented = { method: "client_secret_basic", id: decoded(id), secret: decoded(secret) } as const;
  if ((form.get("client_id") ?? presented.id) !== presented.id) throw invalidClient(true);
  return presented;
}

function inForm(form: Parameters): Presented {
  const secret = form.get("client_secret");
  const assertion = form.get("client_assertion");
  if (secret !== undefined && assertion !== undefined)
    throw new Refused("invalid_request", "the client authenticates in two ways");
  const id = form.get("client_id") ?? (assertion === undefined ? undefined : subjectOf(assertion));
  if (id === undefined) throw invalidClient(false);
  if (secret !== undefined) return { method: "client_secret_post", id, secret };
  if (assertion === undefined) return { method: "none", id };
  if (form.get("client_assertion_type") !== assertionType) throw invalidClient(false);
  return { method: "private_key_jwt", id, secret: assertion };
}

function invalidClient(inHeader: boolean): Refused {
  return new Refused("invalid_client", "Client authentication failed", {
    status: 401,
    headers: inHeader ? { "www-authenticate": 'Basic realm="OAuth"' } : {},
  });
}

function latin1(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return "";
  }
}

/** Decodes a form-encoded id or secret (RFC 6749, 2.3.1). */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return "";
  }
}

/** Returns the `sub` of an unverified assertion. */
function subjectOf(assertion: string): string | undefined {
  const payload = latin1((assertion.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
  const { sub } = jsonObject(payload) ?? {};
  return typeof sub === "string" ? sub : undefined;
}

/** Verifies an assertion (RFC 7523, 3). Each assertion is accepted only once. */
async function isAssertionOf(proxy: Proxy, client: Client, assertion: string): Promise<boolean> {
  const { settings, documents } = proxy;
  let claims: JWTPayload;
  try {
    const keys: readonly JWK[] =
      typeof client.keys === "string" ? await documents.keys(client.keys) : (client.keys ?? []);
    const verified = await jwtVerify(assertion, createLocalJWKSet({ keys: [...keys] }), {
      algorithms: assertionAlgorithms,
      issuer: client.id,
      subject: client.id,
      audience: [settings.issuer, settings.issuer + paths.token],
      requiredClaims: ["exp", "jti"],
    });
    claims = verified.payload;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    if (
      error instanceof errors.JOSEError ||
      error instanceof TypeError ||
      (error as { code?: unknown }).code !== undefined
    )
      return false;
    throw error;
  }
  const { exp, jti } = claims;
  if (exp! > numericDate() + maxAssertionSeconds) return false;
  return settings.store.put(
    `assertion:${await sha256(`${client.id}\n${jti}`)}`,
    "used",
    undefined,
    exp! * 1000,
    await ownerOf(settings, client.id),
  );
}
