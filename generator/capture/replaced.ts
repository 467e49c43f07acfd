/** `object` with some of its methods replaced; the others are called on the object itself. */
export function replaced<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(target, key) {
      if (Object.hasOwn(methods, key)) return methods[key as keyof T];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
