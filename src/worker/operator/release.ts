/** Made by `npm run build`. */
export const RELEASE = { version: "1.1.0", schema: 19 };
