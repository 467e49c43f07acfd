import { spawn } from "node:child_process";
import { join } from "node:path";
import { AuthError } from "../shared/errors.js";
import { endpointUrl } from "../shared/urls.js";

/** By platform, the program that opens a URL, and its arguments before the URL. No shell is involved. */
const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: [
    join(process.env["SYSTEMROOT"] ?? "C:\\Windows", "System32/rundll32.exe"),
    "url.dll,FileProtocolHandler",
  ],
};

/**
 * Opens a URL in the user's browser.
 *
 * @param url `https:`, or `http:` to this machine
 * @returns whether a program was started; `false` if there is none
 * @throws {AuthError} `auth-metadata-unsafe`: the URL is of another kind
 */
export function openBrowser(url: string): Promise<boolean> {
  const parsed = /[\0-\x20"<>\\^`{|}\x7f-\uffff]/.test(url) ? undefined : endpointUrl(url, true);
  if (!parsed)
    return Promise.reject(
      new AuthError(
        "auth-metadata-unsafe",
        "the authorization URL is not opened: it is not a plain https URL",
      ),
    );
  const [program, ...args] = programs[process.platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    // Run outside the working directory: with `.` in PATH, programs of a cloned repository would run.
    const options = { cwd: "/", stdio: "ignore", detached: true, shell: false } as const;
    const child = spawn(program, [...args, parsed.href], options);
    child.on("error", () => resolve(false));
    child.on("spawn", () => resolve(true));
    child.unref();
  });
}
