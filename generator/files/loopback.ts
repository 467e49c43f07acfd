/** Whether the host of a URL is this machine (RFC 8252, 7.3 and 8.3). */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/.test(hostname);
}
