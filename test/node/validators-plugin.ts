/**
 * Vite: the module `virtual:openapi-validators`, made of the OpenAPI document by ajv (JSON Schema 2020-12).
 * Validators are compiled here, in Node, because workerd compiles no code from strings.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import type { Plugin } from "vite";
import { buildDocument } from "../../src/openapi/document.ts";

const NAME = "virtual:openapi-validators";

type Operation = {
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, { content?: Record<string, unknown> }>;
};

/** JSON pointers into the document, by what they validate: `GET /tenant/surveys 200`, `POST /tenant/surveys body`, `problem`. */
function pointers(): Record<string, string> {
  const pointerToken = (text: string) => text.replaceAll("~", "~0").replaceAll("/", "~1");
  const found: Record<string, string> = { problem: "/components/schemas/Problem" };
  for (const [path, methods] of Object.entries(buildDocument().paths)) {
    for (const [method, operation] of Object.entries(methods) as [string, Operation][]) {
      const here = `/paths/${pointerToken(path)}/${method}`;
      const name = `${method.toUpperCase()} ${path}`;
      const json = `content/${pointerToken("application/json")}/schema`;
      if (operation.requestBody) found[`${name} body`] = `${here}/requestBody/${json}`;
      for (const [status, response] of Object.entries(operation.responses)) {
        if (response.content?.["application/json"]) found[`${name} ${status}`] = `${here}/responses/${status}/${json}`;
      }
    }
  }
  return found;
}

export function openApiValidators(): Plugin {
  return {
    name: "openapi-validators",
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load(id) {
      if (id !== `\0${NAME}`) return undefined;
      const ajv = new Ajv2020({
        strict: false,
        allErrors: true,
        validateFormats: false,
        code: { source: true, esm: true },
      });
      ajv.addSchema({ ...buildDocument(), $id: "openapi" }, undefined, undefined, false);
      const all = pointers();
      const exports = Object.fromEntries(Object.keys(all).map((key, index) => [`validator${index}`, key]));
      for (const [name, key] of Object.entries(exports)) ajv.addSchema({ $id: name, $ref: `openapi#${all[key]}` });
      const code = standalone(ajv, Object.fromEntries(Object.keys(exports).map((name) => [name, name])));
      // Standalone code still asks for ajv's counter of characters by require, which an ES module does not have.
      const counted = code.replaceAll(
        /require\("ajv\/dist\/runtime\/ucs2length"\)\.default/g,
        "((text) => [...text].length)",
      );
      const entries = Object.entries(exports).map(([name, key]) => `${JSON.stringify(key)}: ${name}`);
      return `${counted}\nexport const validators = { ${entries.join(", ")} };`;
    },
  };
}
