/** What the errors of a refused form say to an owner: the API's words are for programs. */
import type { FieldError } from "../../http/invalid-request.ts";
import type { SentForm } from "./page.tsx";
import { number } from "./words.ts";

export const inWords = ({ fields, errors }: SentForm): SentForm => ({
  fields,
  errors: errors.map((error) => errorInWords(error, fields)),
});

const TAGS = /^must be a list of at most (\d+) different tags$/;
const ADDRESS = "must be an e-mail address";
const LENGTH = /^must have (?:at most|\d+ to) (\d+) characters(?: after trimming)?$/;

function errorInWords({ path, message }: FieldError, fields: URLSearchParams): FieldError {
  const [name = "", part] = path.split(".");
  const [, tags] = message.match(TAGS) ?? [];
  if (tags !== undefined) return { path, message: `Use at most ${tags} tags.` };
  if (message === ADDRESS) return { path, message: "Enter an email address, such as robin@example.com." };
  const [, max] = message.match(LENGTH) ?? [];
  const value = fields.get(name);
  // A part of a list is no field.
  if (max === undefined || value === null || Number.isInteger(Number(part))) return { path, message };
  const length = [...value.replaceAll("\r", "").trim()].length;
  const isLong = length > Number(max);
  return {
    path,
    message: isLong ? `is too long: ${number(length)} of ${number(Number(max))} characters.` : "is empty.",
  };
}
