/** Characters of a server's standard error that are kept. */
const most = 8192;

/** The end of what a server's process has printed on standard error. */
export class StderrTail {
  private kept = "";

  add(text: string): void {
    this.kept = (this.kept + text).slice(-most);
  }

  get text(): string {
    return this.kept;
  }
}
