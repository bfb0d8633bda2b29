// Sucrase: the translation itself, and the names that a script declares at its top.
import { transform } from "sucrase";
import { parse } from "sucrase/dist/esm/parser";
import { IdentifierRole } from "sucrase/dist/esm/parser/tokenizer";

const DECLARES = new Set([
  IdentifierRole.TopLevelDeclaration,
  IdentifierRole.ObjectShorthandTopLevelDeclaration,
]);

function topLevelNames(code, { isTypeScript = false, isJSX = false } = {}) {
  const { tokens } = parse(code, isJSX, isTypeScript, false);
  const names = tokens
    .filter((token) => DECLARES.has(token.identifierRole))
    .map((token) => code.slice(token.start, token.end));
  return [...new Set(names)];
}

globalThis.BenchmakerSucrase = { transform, topLevelNames };
