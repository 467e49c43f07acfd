import {
  type Baggage,
  type Context,
  ROOT_CONTEXT,
  defaultTextMapGetter,
  propagation,
} from "@opentelemetry/api";

// Most requests with baggage reach no code that reads it, and wrong baggage is costly to parse: it is parsed when it is first read.

/** The member that is parsed later. */
export const baggageMember = "baggage";

/** The key under which a context has its baggage, which the API does not export. */
const key = ((): symbol | undefined => {
  let found: symbol | undefined;
  const recording: Context = {
    getValue: () => undefined,
    setValue: (each) => {
      found = each;
      return recording;
    },
    deleteValue: () => recording,
  };
  propagation.setBaggage(recording, propagation.createBaggage());
  return found;
})();

/** Baggage as it came, and when it is first read as the propagator of the application reads it. */
class UnreadBaggage {
  readonly #text: string;
  #baggage: Baggage | undefined;
  #isRead = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** @param otherwise the baggage that was active before */
  read(otherwise: Context): unknown {
    if (!this.#isRead) {
      this.#isRead = true;
      const context = propagation.extract(
        ROOT_CONTEXT,
        { [baggageMember]: this.#text },
        defaultTextMapGetter,
      );
      this.#baggage = propagation.getBaggage(context);
    }
    return this.#baggage ?? propagation.getBaggage(otherwise);
  }
}

/** A context whose baggage is not parsed yet. */
class DeferredBaggage implements Context {
  readonly #context: Context;
  readonly #text: UnreadBaggage;

  constructor(context: Context, text: UnreadBaggage) {
    this.#context = context;
    this.#text = text;
  }

  getValue(each: symbol): unknown {
    return each === key ? this.#text.read(this.#context) : this.#context.getValue(each);
  }

  setValue(each: symbol, value: unknown): Context {
    const changed = this.#context.setValue(each, value);
    return each === key ? changed : new DeferredBaggage(changed, this.#text);
  }

  deleteValue(each: symbol): Context {
    const changed = this.#context.deleteValue(each);
    return each === key ? changed : new DeferredBaggage(changed, this.#text);
  }
}

export function withBaggage(context: Context, text: string): Context {
  return new DeferredBaggage(context, new UnreadBaggage(text));
}
