import { testFreshHistories } from "./fresh-histories.ts";

testFreshHistories("panel", 20);
