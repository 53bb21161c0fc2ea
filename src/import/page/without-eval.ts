/** First of all imports: the schemas compile themselves otherwise, which the page's Content-Security-Policy refuses. */
import { config } from "zod/mini";

config({ jitless: true });
