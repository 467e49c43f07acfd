export function useContextManager(): void;
export function usePropagators(): void;
