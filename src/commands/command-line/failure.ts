/** The reason why a command stopped, for the person who ran it: without a stack trace, and with what to do next. */
export class Failure extends Error {}
