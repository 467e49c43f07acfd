import { createHash, randomBytes } from "node:crypto";
import { SecretSet, minted } from "../../support/auth/secrets.js";

/** An account at the upstream. */
export interface Account {
  readonly id: number;
  readonly login: string;
}

export interface StandInOptions {
  /** Seconds that tokens are valid. Absent: tokens do not expire, and there are no refresh tokens. */
  readonly expiresIn?: number;
  /** Changes an answer of the token endpoint. */
  readonly tokenAnswer?: (answer: Record<string, unknown>, form: URLSearchParams) => Record<string, unknown>;
  /** Whether the PKCE verifier is compared. Default: true. */
  readonly pkce?: boolean;
}

interface Login {
  readonly account: Account;
  readonly scope: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

/**
 * A login like GitHub's: one registered client, no dynamic registration, answers with status 200 even to errors, tokens
 * without expiry. It remembers that the user agreed, and then asks no more.
 */
export class UpstreamStandIn {
  readonly origin = "https://git.example";
  readonly client = { clientId: "Iv1.proxy", secret: "upstream-secret-0123456789" };
  /** Who is logged in in the browser. */
  account: Account | undefined = { id: 17, login: "ada" };
  /** The answer of the user, if it is not consent. */
  denies = false;
  readonly requests: { readonly path: string; readonly params: URLSearchParams }[] = [];
  readonly secrets: Set<string> = new SecretSet([this.client.secret]);
  readonly tokens = new Map<string, Account>();
  private readonly codes = new Map<string, Login>();
  private readonly refreshTokens = new Map<string, Login>();
  private readonly options: StandInOptions;

  constructor(options: StandInOptions = {}) {
    this.options = options;
  }

  /** The page where the user logs in. Returns the URL to which it redirects the browser. */
  authorize(url: URL): string {
    const params = url.searchParams;
    this.requests.push({ path: url.pathname, params });
    const redirectUri = params.get("redirect_uri")!;
    const back = new URL(redirectUri);
    back.searchParams.set("state", minted(params.get("state")!));
    if (this.denies) {
      back.searchParams.set("error", "access_denied");
      back.searchParams.set("error_description", "<b>text of the upstream</b>");
      return back.href;
    }
    const code = this.mint("code");
    const challenge = params.get("code_challenge") ?? "";
    this.codes.set(code, {
      account: this.account!,
      scope: params.get("scope") ?? "",
      challenge,
      redirectUri,
    });
    back.searchParams.set("code", code);
    return back.href;
  }

  /** The endpoints that the proxy calls. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    if (pathname === "/api/v3/user") return this.user(request);
    const form = new URLSearchParams(await request.text());
    minted(form.get("code_verifier"));
    this.requests.push({ path: pathname, params: form });
    if (pathname !== "/login/oauth/access_token") return new Response("", { status: 404 });
    const answer = this.answer(form);
    return Response.json(this.options.tokenAnswer?.(answer, form) ?? answer);
  };

  count(path: string): number {
    return this.requests.filter((request) => request.path === path).length;
  }

  private user(request: Request): Response {
    const account = this.tokens.get(request.headers.get("authorization")?.slice("Bearer ".length) ?? "");
    return account ? Response.json(account) : new Response("{}", { status: 401 });
  }

  private answer(form: URLSearchParams): Record<string, unknown> {
    const { clientId, secret } = this.client;
    if (form.get("client_id") !== clientId || form.get("client_secret") !== secret)
      return { error: "incorrect_client_credentials" };
    if (form.get("grant_type") === "refresh_token") {
      const login = this.refreshTokens.get(form.get("refresh_token") ?? "");
      // It rotates: a refresh token works once.
      this.refreshTokens.delete(form.get("refresh_token") ?? "");
      return login ? this.granted(login) : { error: "invalid_grant" };
    }
    const login = this.codes.get(form.get("code") ?? "");
    this.codes.delete(form.get("code") ?? "");
    const verifier = createHash("sha256").update(form.get("code_verifier") ?? "");
    const fits = this.options.pkce === false || login?.challenge === verifier.digest("base64url");
    if (!login || !fits || form.get("redirect_uri") !== login.redirectUri)
      return { error: "bad_verification_code" };
    return this.granted(login);
  }

  private granted(login: Login): Record<string, unknown> {
    const { expiresIn } = this.options;
    const access = this.mint("gho");
    this.tokens.set(access, login.account);
    const answer = { access_token: access, token_type: "bearer", scope: login.scope.replaceAll(" ", ",") };
    if (expiresIn === undefined) return answer;
    const refresh = this.mint("ghr");
    this.refreshTokens.set(refresh, login);
    return { ...answer, expires_in: expiresIn, refresh_token: refresh };
  }

  private mint(kind: string): string {
    const secret = `${kind}_${randomBytes(12).toString("hex")}`;
    this.secrets.add(secret);
    return secret;
  }
}
