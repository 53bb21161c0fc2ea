import { testFreshHistories } from "./fresh-histories.ts";

testFreshHistories("gates", 100);
