/** Answers that are kept to be sent again, at most. */
const mostAnswers = 256;
/** Characters of these answers, at most. */
const mostCharacters = 1_048_576;

interface SentAnswer {
  readonly node: string;
  readonly text: string;
}

/**
 * The last answers of clients that this process has sent to others. An engine may accept a message and lose it, if the connection
 * of the receiver breaks: then they are sent again. A second copy has no effect, because the request is answered.
 */
export class SentAnswers {
  readonly #answers: SentAnswer[] = [];
  #characters = 0;

  add(node: string, text: string): void {
    this.#answers.push({ node, text });
    this.#characters += text.length;
    while (this.#answers.length > mostAnswers || this.#characters > mostCharacters)
      this.#characters -= this.#answers.shift()!.text.length;
  }

  /** In the order in which they were sent. @param node those to this node; default: all */
  to(node?: string): readonly SentAnswer[] {
    return this.#answers.filter((answer) => node === undefined || answer.node === node);
  }
}
