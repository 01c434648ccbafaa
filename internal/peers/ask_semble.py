"""Indexes a folder with semble and answers questions: python -c THIS FOLDER MODEL ALPHA"""
import json
import sys

from semble import SembleIndex


def main(folder, model, alpha):
    index = SembleIndex.from_path(folder, model_path=model or None)
    for number, line in enumerate(sys.stdin):
        question = json.loads(line)
        results = index.search(question["text"], top_k=question["limit"], alpha=float(alpha) if alpha else None)
        places = [{"path": r.chunk.file_path, "start": r.chunk.start_line, "end": r.chunk.end_line} for r in results]
        print(json.dumps({"question": number, "places": places}))


try:
    main(*sys.argv[1:])
except Exception as error:
    print(json.dumps({"error": f"{type(error).__name__}: {error}"}))
