import { testFreshHistories } from "./fresh-histories.ts";

testFreshHistories("changes", 10);
