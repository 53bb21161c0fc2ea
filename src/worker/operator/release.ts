/** Made by `npm run build`. */
export const RELEASE = { version: "1.2.0", schema: 19 };
