/** The changelog of the demo idea bank. */
import type { DemoProposal } from "./demo-proposals.ts";

export const DEMO_CHANGELOG: readonly DemoProposal[] = [
  {
    status: "implemented",
    daysAgo: 0.2,
    votes: 231,
    title: "Live departure board for every stop",
    description:
      "Tap any stop to see the next six departures, with delays as they happen.\n\nThe board refreshes every fifteen seconds while it is open, and stops when your phone is in your pocket.",
  },
  {
    status: "implemented",
    daysAgo: 1.1,
    votes: 188,
    title: "Dark mode",
    description: "Follows the phone's own setting. The map, too.",
  },
  {
    status: "implemented",
    daysAgo: 2.4,
    votes: 64,
    title: "“Quiet carriage” shown on the map",
    description:
      "Quiet carriages are now marked in the train diagram, so you can walk to the right end of the platform before the train arrives.",
  },
  {
    status: "implemented",
    daysAgo: 3.0,
    votes: 97,
    title: "Ticket prices for groups of up to nine",
    description: "Choose the number of adults, children and dogs; the cheapest combination of tickets comes first.",
  },
  {
    status: "implemented",
    daysAgo: 5.5,
    votes: 143,
    title: "Español, Français, Deutsch, 日本語 and العربية",
    description:
      "The whole app is now available in five more languages, station announcements included.\nIf a translation reads oddly, long-press it and tell us.",
  },
  {
    status: "implemented",
    daysAgo: 7.2,
    votes: 201,
    title: "Refunds without a phone call",
    description:
      'If your train was more than 30 minutes late, a "Claim" button appears on the ticket. Most claims are paid within two working days.',
  },
  {
    status: "implemented",
    daysAgo: 9.8,
    votes: 176,
    title: "Offline timetables",
    description:
      "Timetables of your saved lines are kept on the phone. They work in tunnels, on the ferry, and at the far end of platform 9¾.",
  },
  {
    status: "implemented",
    daysAgo: 12.0,
    votes: 112,
    title: "Bike spaces per train",
    description: "Shows how many of the bike spaces are still free — and which coach they are in.",
  },
  {
    status: "implemented",
    daysAgo: 14.5,
    votes: 84,
    title: "Notify me when my line is disrupted",
    description: "Pick the lines and the hours that matter to you. We stay silent the rest of the day.",
  },
  {
    status: "implemented",
    daysAgo: 18.0,
    votes: 58,
    title: "Larger text",
    description: "The app now follows the system's text size up to 310 %, and nothing is cut off.",
  },
  {
    status: "implemented",
    daysAgo: 21.3,
    votes: 129,
    title: "Apple Wallet and Google Wallet",
    description:
      "Season tickets can be added to a wallet. Turn on “Express mode” to pass the gates with a locked phone.",
  },
  {
    status: "implemented",
    daysAgo: 25.0,
    votes: 167,
    title: "Step-free routes",
    description:
      'Switch on "step-free" once, and every route avoids stairs. Broken lifts are taken into account within a minute of being reported.\n\nThank you to everyone who tested this with us at Harbour, Old Mint and Sankt-Jürgen-Straße.',
  },
  {
    status: "implemented",
    daysAgo: 28.9,
    votes: 219,
    title: "Crowding forecast",
    description:
      "Three little people next to each departure: one filled in means plenty of seats, three mean standing room only. The forecast is based on the same weekday of the last six weeks, the weather, and events such as home matches & concerts.\n\nHow we built it, because many of you asked:\n\n1. Every train weighs itself. The air suspension of each coach reports its load when the doors close, so we know how many people are on board to within about five.\n2. We never learn who you are. A weight is a weight; no phone, camera or ticket is involved, and the raw readings are deleted after seven days.\n3. Six weeks of the same weekday and departure give the expected load. Rain adds about four percent on the bus lines and takes two from the ferry; a home match adds up to ninety on line 2 for exactly fifty minutes.\n4. When a train is running and its load differs from the forecast by more than a fifth, the measured load replaces the forecast for the stops ahead.\n5. For the first three weeks after a timetable change the forecast is shown in grey: there is not enough history yet, and we would rather say so than pretend.\n\nWhat we learned along the way: at Old Mint the third coach is the emptiest on four days out of five, because the stairs lead to the first; on Fridays before long weekends the 16:12 is fuller than the 17:12; and nobody, on any line, sits next to the broken heater of coach 4711 (it has been repaired).\n\nWhat comes next: the same forecast for each coach rather than for the whole train, and, if you allow it, a hint to walk two coaches down the platform when it helps. Please keep the reports coming – the “Not true!” button below the forecast goes straight to the two people who look after it.",
  },
  {
    status: "implemented",
    daysAgo: 33.0,
    votes: 41,
    title: "Save a trip to the calendar",
    description:
      "Adds the departure, the platform and the change to your calendar (and updates them if the platform changes).",
  },
  {
    status: "implemented",
    daysAgo: 38.2,
    votes: 36,
    title: "Share my arrival",
    description:
      "Send a link that shows where your train is, until you arrive. The link stops working ten minutes later.",
  },
  {
    status: "implemented",
    daysAgo: 44.0,
    votes: 12,
    title: "<b>Bold</b> station names in search results",
    description:
      "The part of the name that you typed is now highlighted: type “mar” and see what Marienplatz, St. Mary's and Marché have in common.",
  },
  {
    status: "implemented",
    daysAgo: 51.7,
    votes: 153,
    title: "Cheaper tickets for under-26s",
    description: "The youth discount is applied by itself once your age has been verified.",
  },
  {
    status: "implemented",
    daysAgo: 60.0,
    votes: 47,
    title: "Night bus lines on the map",
    description: "After 23:00 the map shows what actually runs.",
  },
  {
    status: "implemented",
    daysAgo: 68.5,
    votes: 23,
    title: "Undo for deleted favourites",
    description: 'Deleted a favourite by accident? Shake, or tap "Undo". Nothing is lost for 30 days.',
  },
  {
    status: "implemented",
    daysAgo: 75.0,
    votes: 31,
    title: "Printable tickets",
    description: "One page, one QR code, black on white. For those of us whose phone is always at 3 %.",
  },
  {
    status: "implemented",
    daysAgo: 90.1,
    votes: 52,
    title: "Park-and-ride occupancy",
    description: "Free spaces at all 14 car parks, updated every two minutes.",
  },
  {
    status: "implemented",
    daysAgo: 110.0,
    votes: 38,
    title: "Lost property form",
    description: "Describe what you have lost, attach a photo, and get a number. We search for 90 days.",
  },
  {
    status: "implemented",
    daysAgo: 140.4,
    votes: 74,
    title: "Widget for the home screen",
    description: "The next departure of your first favourite, in three sizes.",
  },
  {
    status: "implemented",
    daysAgo: 180.0,
    votes: 16,
    title: "Ferry timetable",
    description: "Both ferries, with the tide-dependent departures marked ~.",
  },
  {
    status: "implemented",
    daysAgo: 220.0,
    votes: 69,
    title: "Search by street address",
    description: "Type an address; we find the nearest stop and the way on foot.",
  },
  {
    status: "implemented",
    daysAgo: 280.0,
    votes: 45,
    title: "Fewer permissions",
    description: "The app no longer asks for contacts, and asks for your location only when you tap the compass.",
  },
  {
    status: "implemented",
    daysAgo: 365.0,
    votes: 0,
    title: "First public version",
    description: "Timetables, tickets and a map. Everything since has been your idea.",
  },
];
