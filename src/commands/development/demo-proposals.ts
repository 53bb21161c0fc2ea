/** The demo idea bank's other proposals: a transit company asks its riders. */
import type { ProposalStatus } from "../../worker/model/proposal.ts";

export type DemoProposal = {
  readonly status: ProposalStatus;
  /** Days between its last activity and the first start. */
  readonly daysAgo: number;
  /** The number of panelists who vote for it. */
  readonly votes: number;
  readonly title: string;
  readonly description: string;
  readonly tags?: readonly string[];
  /** `public` unless it says otherwise. */
  readonly visibility?: "pending";
  /** The title of the one that it was merged into. */
  readonly mergedInto?: string;
};

export const DEMO_PROPOSALS: readonly DemoProposal[] = [
  {
    status: "in-progress",
    daysAgo: 0.5,
    votes: 248,
    title: "Pay with contactless at the gate",
    tags: ["Tickets", "Stations"],
    description: "Tap the same bank card in and out, and pay the best fare of the day.",
  },
  {
    status: "in-progress",
    daysAgo: 4.0,
    votes: 133,
    title: "Accessible seat reservation",
    tags: ["Accessibility", "Tickets"],
    description: "Reserve a wheelchair space together with up to three seats beside it.",
  },
  {
    status: "in-progress",
    daysAgo: 6.6,
    votes: 57,
    title: "Timetable as open data",
    description: "A GTFS and GTFS-Realtime feed that anyone can use, under a free licence.",
  },
  {
    status: "planned",
    daysAgo: 1.9,
    votes: 48,
    title: "Carbon footprint of each trip",
    tags: ["App"],
    description: "Compare train, bus and car, with the method linked.",
  },
  {
    status: "planned",
    daysAgo: 8.0,
    votes: 119,
    title: "Seat map when booking",
    tags: ["App", "Tickets"],
    description: "Window, aisle, table, or as far away from the toilets as possible.",
  },
  {
    status: "planned",
    daysAgo: 15.2,
    votes: 92,
    title: "Family accounts",
    tags: ["App", "Tickets"],
    description: "One payment method, several travellers, and children who can see their own tickets.",
  },
  {
    status: "planned",
    daysAgo: 29.0,
    votes: 35,
    title: "Watch app",
    tags: ["App"],
    description: "A ticket and the next departure on the wrist.",
  },
  {
    status: "under-review",
    daysAgo: 0.9,
    votes: 78,
    title: "Dogs travel free on weekends",
    tags: ["On board", "Tickets"],
    description: "Small ones already do; Søren's does not.",
  },
  {
    status: "under-review",
    daysAgo: 3.3,
    votes: 164,
    title: "Show toilets on trains, and whether they work",
    tags: ["On board", "Accessibility"],
    description: "It matters more than Wi-Fi, honestly.",
  },
  {
    status: "under-review",
    daysAgo: 11.0,
    votes: 43,
    title: "Quieter door chimes after 22:00",
    tags: ["On board"],
    description: "People live next to the line.",
  },
  {
    status: "under-review",
    daysAgo: 17.5,
    votes: 101,
    title: "Combined ticket with city bikes",
    tags: ["Tickets"],
    description: "Half an hour of bike with each day ticket.",
  },
  {
    status: "submitted",
    daysAgo: 0.1,
    votes: 9,
    title: "Coffee at Old Mint station",
    tags: ["Stations"],
    description: "The kiosk has been closed since spring 😢",
  },
  {
    status: "submitted",
    daysAgo: 0.3,
    votes: 14,
    title: "Sort favourites by distance",
    tags: ["App"],
    description: "The stop that I am standing at should come first.",
  },
  {
    status: "submitted",
    daysAgo: 2.0,
    votes: 71,
    title: "Later last train on Fridays",
    tags: ["Timetable"],
    description: "The concert hall closes at 23:30, the last train leaves at 23:28.",
  },
  {
    status: "submitted",
    daysAgo: 6.1,
    votes: 22,
    title: "Let me hide lines that I never use",
    tags: ["App"],
    description: "Line 14 does not need to be on my map.",
  },
  {
    status: "declined",
    daysAgo: 10.0,
    votes: 18,
    title: "Bring back paper timetables at every stop",
    tags: ["Stations", "Timetable"],
    description: "My father has no phone, and the old ones could be read from a bench.",
  },
  {
    status: "declined",
    daysAgo: 48.0,
    votes: 86,
    title: "Free Wi-Fi in tunnels",
    description: "Nine minutes between Harbour and Sankt-Jürgen-Straße, twice a day, without a single byte.",
  },
  {
    status: "submitted",
    daysAgo: 5.4,
    votes: 6,
    title: "Trains after midnight at the weekend",
    tags: ["Timetable"],
    description: "Even one an hour would do.",
    mergedInto: "Later last train on Fridays",
  },
  {
    status: "submitted",
    daysAgo: 0.05,
    votes: 0,
    title: "Plants on the platforms",
    tags: ["Stations"],
    description: "Old Mint has four big empty pots. Give a neighbour a watering can and a key.",
    visibility: "pending",
  },
];
