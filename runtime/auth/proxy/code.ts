/** What an authorization code holds, sealed. It works once: the grant notes its use. */
export interface Code {
  readonly grant: string;
  readonly redirectUri: string;
  readonly challenge: string;
  /** Seconds since 1970. */
  readonly expires: number;
}

export const codeSeconds = 60;
