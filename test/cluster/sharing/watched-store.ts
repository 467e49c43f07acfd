import type { ClusterStore } from "@mcpgen/cluster";

/** A store that counts its commands, and fails, never answers, loses messages or heartbeats, or reaches no process, by its mode. */
export class Watched {
  readonly commands: string[] = [];
  mode: "works" | "fails" | "hangs" | "loses" | "unheard" | "silent" = "works";
  readonly store: ClusterStore;
  /** Says to each subscription, by the start of its channel, that messages may be lost. */
  readonly lost = new Map<string, () => void>();

  constructor(own: ClusterStore) {
    const watch = <T extends object>(target: T): T =>
      new Proxy(target, {
        get: (_, name: string) => {
          const value: unknown = Reflect.get(target, name);
          if (name === "log") return watch(value as object);
          return (...args: unknown[]): unknown => {
            if (name !== "heartbeat") this.commands.push(name);
            if (name === "subscribe")
              this.lost.set((args[0] as string).split(":")[0]!, args[2] as () => void);
            if (this.mode === "loses" && name === "publish") return Promise.resolve(1);
            if (this.mode === "unheard" && name === "publish") return Promise.resolve(0);
            if (this.mode === "silent" && name === "heartbeat") return Promise.resolve();
            if (this.mode === "fails") return Promise.reject(new Error("the store is away"));
            if (this.mode === "hangs") return new Promise(() => undefined);
            return (value as (...all: unknown[]) => unknown).apply(target, args);
          };
        },
      });
    this.store = watch(own);
  }
}
