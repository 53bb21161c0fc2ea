import { testFreshHistories } from "./fresh-histories.ts";

testFreshHistories("replicas", 20);
