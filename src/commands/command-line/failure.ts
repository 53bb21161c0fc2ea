/** The reason why a command stopped, for the person who ran it: without a stack trace, with the way to go on. */
export class Failure extends Error {}
