/** The comments under the demo's proposals, by title. */

/** The first is the panelist of the demo token, whose texts can be edited and deleted in the board. */
export const DEMO_NAMES = [
  "Robin",
  "Amira",
  "Jonas",
  "Mei",
  "Søren",
  "Priya",
  "Tomás",
  "Yuki",
  "Leïla",
  "Marek",
  "Ines",
  "Kofi",
  "Hanna",
  "Diego",
  "نور",
  "Wanda",
] as const;

export type DemoName = (typeof DEMO_NAMES)[number];

/** `by: "tenant"` is the transit company. Without a name a panelist is shown without one. */
type DemoComment = { readonly by: DemoName | "tenant" | null; readonly text: string };

export type DemoConversation = {
  readonly author: DemoName | null;
  readonly response?: string;
  /** Oldest first. */
  readonly comments?: readonly DemoComment[];
};

export const DEMO_CONVERSATIONS: Readonly<Record<string, DemoConversation>> = {
  "Pay with contactless at the gate": {
    author: "Jonas",
    response:
      "The new readers are in place at Harbour and Old Mint, and we are testing them with 200 riders. All other stations follow line by line; we expect to be done by the summer timetable.",
    comments: [
      { by: "Amira", text: "Yes please. My grandmother will never install an app, but she has a card." },
      { by: "Marek", text: "Will it count towards the monthly cap, or is that only for season tickets?" },
      { by: "tenant", text: "It will: the same card, in and out, and never more than a day ticket or a month." },
      { by: "Marek", text: "Perfect, thank you." },
      { by: null, text: "Works great at Harbour already." },
    ],
  },
  "Show toilets on trains, and whether they work": {
    author: "Priya",
    response:
      "Every coach reports it already. We are looking at how to show it without cluttering the departure board.",
    comments: [
      { by: "Hanna", text: "With two small children this decides which train we take." },
      { by: "Diego", text: "“Whether they work” is the important half." },
    ],
  },
  "Accessible seat reservation": {
    author: "Wanda",
    comments: [{ by: "Kofi", text: "Please include the ferry. The ramp there needs to be booked by phone today." }],
  },
  "Seat map when booking": {
    author: "Mei",
    comments: [{ by: "Yuki", text: "And let me pick the side with the river view!" }],
  },
  "Later last train on Fridays": {
    author: "Robin",
    comments: [
      { by: "Leïla", text: "Two minutes. We run every single time." },
      { by: "Tomás", text: "Or ask the concert hall to start at 19:30 sharp." },
      { by: "Robin", text: "I asked them. They would, if the 19:04 from Harbour were on time more often…" },
    ],
  },
  "Dogs travel free on weekends": {
    author: "Søren",
    comments: [
      { by: "Ines", text: "As long as they stay off the seats." },
      { by: "Søren", text: "Mine is too large for a seat anyway." },
    ],
  },
  "Combined ticket with city bikes": { author: "Diego" },
  "Family accounts": {
    author: "Hanna",
    response: "Planned for spring. Children get tickets of their own, which you can see and renew.",
  },
  "Carbon footprint of each trip": { author: "Yuki" },
  "Coffee at Old Mint station": {
    author: "Tomás",
    comments: [{ by: "Wanda", text: "And cardamom buns. The ones with the sugar that falls everywhere." }],
  },
  "Sort favourites by distance": { author: "Robin" },
  "Quieter door chimes after 22:00": {
    author: "نور",
    comments: [{ by: "نور", text: "نسكن بجانب المحطة، والصوت يوقظ الأطفال كل ليلة." }],
  },
  "Let me hide lines that I never use": { author: null },
  "Timetable as open data": { author: "Marek" },
  "Watch app": { author: "Kofi" },
  "Bring back paper timetables at every stop": {
    author: "Wanda",
    response:
      "We understand the wish. They were out of date within days; each stop now has a large-print poster with a phone number instead.",
  },
  "Free Wi-Fi in tunnels": {
    author: "Jonas",
    response: "Mobile coverage in all tunnels comes first. We will look at this again when that is done.",
    comments: [{ by: "Mei", text: "Fair enough. Line 3 first, please." }],
  },
  "Trains after midnight at the weekend": { author: "Leïla" },
  "Plants on the platforms": { author: "Robin" },
  "Live departure board for every stop": {
    author: "Amira",
    response: "Live now, on every stop and in all six languages.",
    comments: [{ by: "Priya", text: "I have waited for this since the first version. Thank you!" }],
  },
  "Refunds without a phone call": { author: "Ines" },
  "Crowding forecast": { author: "Mei" },
};
