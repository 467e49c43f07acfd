import { secrets } from "../secrets/secrets.js";

/** Characters of a server's standard error that are kept. */
const most = 8192;

/** The end of what a server's process has printed on standard error. It holds no secret, and no part of one that was cut. */
export class StderrTail {
  private kept = "";
  private readonly stream = secrets.stream();

  add(text: string): void {
    this.kept = (this.kept + this.stream.push(text)).slice(-most);
  }

  get text(): string {
    this.kept = (this.kept + this.stream.end()).slice(-most);
    return this.kept;
  }
}
