export declare const hang: number;
export declare function until<Found>(
  what: string,
  holds: () => Found | Promise<Found>,
  pause?: number,
  bound?: number,
): Promise<Found>;
