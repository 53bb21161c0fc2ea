import { testFreshHistories } from "./fresh-histories.ts";

testFreshHistories("outage", 20);
