/** The limits of deliveries. None begins after `endsAt` (Unix milliseconds), or when the statements are used up. */
export type Allowance = { readonly endsAt: number; readonly statements: { left: number } };
