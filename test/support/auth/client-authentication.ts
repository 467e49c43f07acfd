import { createLocalJWKSet, jwtVerify } from "jose";
import { OAuthFault } from "./calls.js";
import type { Call } from "./calls.js";
import type { ClientAuthentication, RegisteredClient } from "./options.js";

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

interface Presented {
  readonly method: ClientAuthentication;
  readonly id: string;
  readonly secret?: string;
}

/**
 * Returns the client of a request, authenticated by its registered method.
 *
 * @param audiences accepted in a client assertion
 * @param used ids of already used client assertions
 * @throws {OAuthFault} `invalid_client`
 */
export async function authenticatedClient(
  call: Call,
  find: (id: string) => RegisteredClient | undefined | Promise<RegisteredClient | undefined>,
  audiences: readonly string[],
  used: Set<string>,
  now: () => number,
): Promise<RegisteredClient> {
  const { method, id, secret } = presented(call);
  const client = await find(id);
  if (!client) throw invalid("the client is unknown");
  const registered = client.method ?? (client.secret === undefined ? "none" : "client_secret_basic");
  if (registered !== method) throw invalid(`expected ${registered}, got ${method}`);
  if (method === "private_key_jwt") await verifyAssertion(secret!, client, audiences, used, now);
  else if (method !== "none" && secret !== client.secret) throw invalid("the secret is wrong");
  return client;
}

function presented({ params, headers }: Call): Presented {
  const basic = /^basic (.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  const assertion = params.get("client_assertion");
  const secret = params.get("client_secret");
  const ways = [basic, assertion ?? undefined, secret ?? undefined].filter((way) => way !== undefined);
  if (ways.length > 1) throw new OAuthFault("invalid_request", "two ways of client authentication");
  if (basic !== undefined) {
    const [id, value] = Buffer.from(basic, "base64").toString("utf8").split(":").map(formDecoded);
    return { method: "client_secret_basic", id: id!, secret: value ?? "" };
  }
  if (assertion !== null) {
    if (params.get("client_assertion_type") !== assertionType) throw invalid("client_assertion_type");
    return { method: "private_key_jwt", id: subjectOf(assertion), secret: assertion };
  }
  const id = params.get("client_id");
  if (id === null) throw invalid("no client authentication");
  return secret === null ? { method: "none", id } : { method: "client_secret_post", id, secret };
}

const formDecoded = (text: string): string => decodeURIComponent(text.replaceAll("+", "%20"));

function subjectOf(jwt: string): string {
  try {
    return (JSON.parse(Buffer.from(jwt.split(".")[1]!, "base64url").toString()) as { sub: string }).sub;
  } catch {
    throw invalid("the client assertion is malformed");
  }
}

async function verifyAssertion(
  assertion: string,
  client: RegisteredClient,
  audiences: readonly string[],
  used: Set<string>,
  now: () => number,
): Promise<void> {
  const { payload } = await jwtVerify(assertion, createLocalJWKSet(client.jwks!), {
    issuer: client.id,
    subject: client.id,
    audience: [...audiences],
    requiredClaims: ["jti", "exp", "iat"],
    currentDate: new Date(now()),
  }).catch((error: unknown) => {
    throw invalid(String(error));
  });
  if (Array.isArray(payload.aud)) throw invalid("aud of a client assertion is one text");
  if (used.has(payload.jti!)) throw invalid("the client assertion was used before");
  used.add(payload.jti!);
}

const invalid = (text: string): OAuthFault => new OAuthFault("invalid_client", text);
