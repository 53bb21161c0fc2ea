/** Holds every response that a test receives against the OpenAPI document. */
import { validators } from "virtual:openapi-validators";
import document from "../../public/openapi.json";

type Operation = { responses: Record<string, unknown> };

/** The document's operation for a request, if it has one: its name in the validators and its description. */
export function findOperation(method: string, path: string): { name: string; operation: Operation } | undefined {
  for (const [template, methods] of Object.entries(document.paths)) {
    const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`);
    const operation = (methods as Record<string, Operation>)[method.toLowerCase()];
    if (operation !== undefined && pattern.test(path)) return { name: `${method} ${template}`, operation };
  }
  return undefined;
}

/** Throws when the response is not one that the document announces. */
export async function checkAgainstDocument(method: string, path: string, response: Response): Promise<void> {
  const found = findOperation(method, path);
  const where = `${method} ${path} ${response.status}`;
  if (found !== undefined && !Object.hasOwn(found.operation.responses, String(response.status))) {
    throw new Error(`${where}: the document does not know this status`);
  }
  const text = await response.text();
  if (response.status >= 400) return validate("problem", JSON.parse(text), where);
  if (found === undefined || response.status === 304) return;
  const key = `${found.name} ${response.status}`;
  if (Object.hasOwn(validators, key)) validate(key, JSON.parse(text), where);
  else if (text !== "") throw new Error(`${where}: the document announces no body`);
}

function validate(key: string, value: unknown, where: string): void {
  const validator = validators[key];
  if (!validator?.(value))
    throw new Error(`${where}: ${JSON.stringify(validator?.errors)} in ${JSON.stringify(value)}`);
}
