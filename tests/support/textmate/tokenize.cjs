// Reads {"grammar": text, "scope": name, "texts": [text]}; prints for each text its lines, as lists of [piece, scope].
const fs = require("fs");
const path = require("path");
const modules = process.argv[2];
const oniguruma = require(path.join(modules, "vscode-oniguruma"));
const textmate = require(path.join(modules, "vscode-textmate"));

async function main() {
  const asked = JSON.parse(fs.readFileSync(0, "utf-8"));
  await oniguruma.loadWASM(fs.readFileSync(path.join(modules, "vscode-oniguruma", "release", "onig.wasm")).buffer);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(asked.grammar, "rules.tmLanguage.json"),
  });
  const grammar = await registry.loadGrammar(asked.scope);
  const said = asked.texts.map((text) => {
    let state = textmate.INITIAL;
    return text.split("\n").map((line) => {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
      state = ruleStack;
      return tokens.map((token) => [line.slice(token.startIndex, token.endIndex), token.scopes.at(-1)]);
    });
  });
  process.stdout.write(JSON.stringify(said));
}

main();
