/** Made by `npm run build`. */
export const RELEASE = { version: "1.0.0", schema: 18 };
