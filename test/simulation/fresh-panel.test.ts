import { testFreshHistories } from "./fresh-histories.ts";

testFreshHistories("panel", 30);
testFreshHistories("replicas", 30);
