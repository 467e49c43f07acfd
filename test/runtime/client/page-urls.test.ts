import { pageProblem } from "@mcpgen/runtime";
import { expect, test, vi } from "vitest";
import { asked, everyWay } from "../../support/asked-client.js";

const opened = [
  "https://example.com/",
  "HTTPS://EXAMPLE.com/path?query=a|b&c={d}#fragment",
  "https://user.example.com:8443/%E2%80%AE?next=javascript:alert(1)&mail=a@b.example",
  "https://xn--80ak6aa92e.com/",
  "http://localhost:3000/callback",
  "http://app.localhost/",
  "http://127.0.0.1:8080/",
  "http://127.1.2.3/",
  "http://[::1]:9/x",
  "https://[2001:db8::1]/",
];

const refused = [
  ...["javascript:alert(1)", "JaVaScRiPt:alert(1)", "javascript://example.com/%0aalert(1)"],
  ...["java\tscript:alert(1)", "java\nscript:alert(1)", "\u0001javascript:alert(1)", " javascript:alert(1)"],
  ...[
    "ｊavascript:alert(1)",
    "javascript\u200b:alert(1)",
    "javascript&colon;alert(1)",
    "javascript%3Aalert(1)",
  ],
  ...["file:///etc/passwd", "data:text/html,<script>", "vbscript:msgbox(1)", "ms-msdt:/id PCWDiagnostic"],
  ...["smb://host/share", "\\\\host\\share", "//host/share", "ftp://host/", "blob:https://a.example/1"],
  ...["view-source:https://a.example/", "about:blank", "chrome://settings", "intent://a#Intent;end", "x", ""],
  ...["ws://a.example/", "https:example.com", "https:/example.com", "https:///example.com", "https://"],
  ...["https:\\\\example.com", "https://good.example\\@evil.example/", "https://a.example\\.evil.example/"],
  ...[
    "https://user@example.com/",
    "https://user:pass@example.com/",
    "https://@example.com/",
    "https://:@a.example/",
  ],
  ...[
    "https://example.com@evil.example/",
    "http://127.0.0.1@evil.example/",
    "http://localhost:80@evil.example/",
  ],
  ...[
    "https://example.com/\r\nHost: evil",
    "https://example.com/\u0000",
    "https://exa\tmple.com/",
    "https://a.example/\u007f",
  ],
  ...[
    "https://example.com/\u202egpj.exe",
    "https://ex\u00adample.com/",
    "https://\u0430pple.com/",
    "https://a\u3002example/",
  ],
  ...[
    "http://example.com/",
    "http://localhost.evil.example/",
    "http://127.0.0.1.evil.example/",
    "http://notlocalhost/",
  ],
  ...["http://10.0.0.1/", "http://0.0.0.0/", "http://[::ffff:10.0.0.1]/", "http://169.254.169.254/latest/"],
  ...[
    "https://a.example/ b",
    " https://a.example/",
    "https://a.example/\u2028",
    'https://a.example/"onclick=',
    "https://a.example/<b>",
  ],
  ...["https://a.example:99999/", "https://[::1", "https://%zz/", `https://a.example/${"x".repeat(20_000)}`],
];

test("only https: and loopback http: URLs may be opened", () => {
  for (const url of opened) expect(pageProblem(url), url).toBeUndefined();
  for (const url of refused) expect(pageProblem(url), JSON.stringify(url)).toEqual(expect.any(String));
  for (const url of [undefined, null, 5, {}, ["https://a.example/"]])
    expect(pageProblem(url)).toBe("it is not a string");
});

test.each(everyWay.filter(([revision]) => revision >= "2025-11"))(
  "a page that may not be opened never reaches the application (%s, %s)",
  async (revision, transport) => {
    const elicitUrl = vi.fn(() => ({ action: "accept" as const }));
    const page = (url: string) => ({
      method: "elicitation/create",
      params: { mode: "url", message: "Sign in", url, elicitationId: "1" },
    });
    const text = expect.stringContaining("the URL of the page is refused") as string;
    for (const url of [
      "javascript:alert(1)",
      "java\tscript:alert(1)",
      "https://a@b.example/",
      "ms-msdt:/id",
    ]) {
      const { answers, failure } = await asked(revision, transport, [page(url)], {
        elicit: { url: elicitUrl },
      });
      const expected = revision > "2026" ? failure : answers[0]!.error;
      expect(expected).toMatchObject(
        revision > "2026"
          ? { code: "invalid-params", rpcCode: -32602, message: text }
          : { code: -32602, message: text },
      );
    }
    expect(elicitUrl).not.toHaveBeenCalled();
    const fine = await asked(revision, transport, [page("https://a.example/")], {
      elicit: { url: elicitUrl },
    });
    expect(fine.answers[0]!.result).toEqual({ action: "accept" });
    expect(elicitUrl).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ url: "https://a.example/" }),
      expect.anything(),
    );
  },
);
