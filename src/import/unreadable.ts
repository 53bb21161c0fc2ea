/** The file as a whole cannot be read. The message is for who chose it. */
export class Unreadable extends Error {}

/** Its bytes are no UTF-8. People say what they are, because a guess would give other letters. */
export class NotUtf8 extends Unreadable {
  constructor() {
    super(
      "The file is not in UTF-8. Save it with this encoding, or say that it is in Western European (windows-1252).",
    );
  }
}

/** Nothing says which column has the titles. */
export class NoTitle extends Unreadable {
  constructor() {
    super('The CSV file has no column "title".');
  }
}
