/** Why a command stopped, for the person who ran it: no stack trace, and what to do. */
export class Failure extends Error {}
