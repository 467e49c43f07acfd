/** Whether a host is a name of the internet: no address, and no name of this machine or its network. */
export function isPublicName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "");
  return name.includes(".") && !/^[\d.]+$|^\[|\.(?:localhost|local|internal|home\.arpa)$/.test(name);
}
