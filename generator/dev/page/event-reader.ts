/** Reads the messages of an answer over HTTP: one JSON text, or the data of server-sent events. */
export class EventReader {
  readonly #isStream: boolean;
  readonly #message: (text: string) => void;
  #rest = "";
  #data: string[] = [];
  #event = "";

  constructor(isStream: boolean, message: (text: string) => void) {
    this.#isStream = isStream;
    this.#message = message;
  }

  read(chunk: string): void {
    this.#rest += chunk;
    if (!this.#isStream) return;
    // A CR at the end may be the first half of a line end.
    const lines = this.#rest.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop()!;
    for (const line of lines) this.#line(line);
  }

  end(): void {
    if (!this.#isStream && this.#rest.trim() !== "") this.#message(this.#rest);
  }

  #line(line: string): void {
    if (line === "") {
      const text = this.#data.join("\n");
      if (text !== "" && (this.#event === "" || this.#event === "message")) this.#message(text);
      this.#data = [];
      this.#event = "";
      return;
    }
    const [, name, value = ""] = /^([^:]*):? ?(.*)$/.exec(line)!;
    if (name === "data") this.#data.push(value);
    if (name === "event") this.#event = value;
  }
}
