import type { Page } from "./browser-page.js";

/** Faults of a page since the watch began. */
export interface PageWatch {
  /** Dialogs, errors, violations of the content security policy, and unexpected requests. */
  readonly faults: string[];
  stop(): void;
}

/**
 * Watches for effects that untrusted texts must not have.
 *
 * @param isExpected requests of the test itself
 */
export async function watchPage(page: Page, isExpected: (url: string) => boolean): Promise<PageWatch> {
  const faults: string[] = [];
  for (const domain of ["Runtime", "Log", "Network", "Audits"]) await page.send(`${domain}.enable`);
  const stop = page.onEvent(({ method, params }) => {
    const fault = faultOf(method, params, isExpected);
    if (fault !== undefined) faults.push(fault);
    if (method === "Page.javascriptDialogOpening")
      void page.send("Page.handleJavaScriptDialog", { accept: false });
  });
  return { faults, stop };
}

type Params = Readonly<Record<string, unknown>>;

function faultOf(method: string, params: Params, isExpected: (url: string) => boolean): string | undefined {
  switch (method) {
    case "Page.javascriptDialogOpening":
      return `dialog: ${String(params["message"])}`;
    case "Runtime.exceptionThrown":
      return `exception: ${JSON.stringify(params["exceptionDetails"])}`;
    case "Runtime.consoleAPICalled":
      return `console: ${JSON.stringify(params["args"])}`;
    case "Log.entryAdded":
      return `log: ${(params["entry"] as { text: string }).text}`;
    case "Audits.issueAdded": {
      const { code } = params["issue"] as { code: string };
      return code === "ContentSecurityPolicyIssue" ? `policy: ${JSON.stringify(params["issue"])}` : undefined;
    }
    case "Network.requestWillBeSent": {
      const { url } = params["request"] as { url: string };
      return isExpected(url) ? undefined : `request: ${url.slice(0, 200)}`;
    }
    default:
      return undefined;
  }
}
