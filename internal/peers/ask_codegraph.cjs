// Answers questions from a CodeGraph index: node -e THIS LIBRARY PROJECT
const questions = require('node:fs').readFileSync(0, 'utf8').split('\n').filter(Boolean);
const [library, project] = process.argv.slice(1);

(async () => {
  let graph = require(library);
  while (graph && typeof graph.open !== 'function') graph = graph.CodeGraph ?? graph.default;
  const index = await graph.open(project);
  questions.forEach((line, question) => {
    const { text, limit } = JSON.parse(line);
    // The command asks for one result more than it shows, and puts generated
    // files behind the others.
    const nodes = index.searchNodes(text, { limit: limit + 1 }).map((result) => result.node);
    const generated = index.generatedFilePredicate(nodes.map((node) => node.filePath));
    const written = nodes.filter((node) => !generated(node.filePath));
    const ordered = written.concat(nodes.filter((node) => generated(node.filePath)));
    const places = ordered.slice(0, limit).map((node) => ({ path: node.filePath, start: node.startLine, end: node.endLine }));
    console.log(JSON.stringify({ question, places }));
  });
  index.close();
})().catch((error) => {
  console.log(JSON.stringify({ error: String(error) }));
});
