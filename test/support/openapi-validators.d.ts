declare module "virtual:openapi-validators" {
  type Validator = ((value: unknown) => boolean) & { errors?: unknown[] | null };
  export const validators: Record<string, Validator>;
}
