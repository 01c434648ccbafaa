#!/usr/bin/env python3
"""A /v1/rerank server for measurements: the cosine of question and passage by a sentence transformer.

    rerank_server.py MODEL.onnx TOKENIZER.json PORT [TOKENS]

MODEL takes input_ids, attention_mask and perhaps token_type_ids, and gives a vector for each token; a text's vector is
their mean. Of a text it reads the first TOKENS, 256 where none are given. It needs onnxruntime, tokenizers and numpy,
and uses one thread. This is a bi-encoder, no cross-encoder: it reads question and passage apart.
"""
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy
import onnxruntime
from tokenizers import Tokenizer

BATCH = 8


class Model:
    def __init__(self, path, tokenizer, tokens):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.inputs = {i.name for i in self.session.get_inputs()}
        self.tokenizer = Tokenizer.from_file(tokenizer)
        self.tokenizer.enable_truncation(tokens)
        self.tokenizer.no_padding()

    def vectors(self, texts):
        tokens = [e.ids for e in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda i: len(tokens[i]))
        out = [None] * len(texts)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            width = max(len(tokens[i]) for i in batch)
            ids = numpy.zeros((len(batch), width), numpy.int64)
            mask = numpy.zeros_like(ids)
            for row, i in enumerate(batch):
                ids[row, : len(tokens[i])] = tokens[i]
                mask[row, : len(tokens[i])] = 1
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
            states = self.session.run(None, {k: v for k, v in feed.items() if k in self.inputs})[0]
            mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
            mean /= numpy.linalg.norm(mean, axis=1, keepdims=True)
            for row, i in enumerate(batch):
                out[i] = mean[row]
        return numpy.array(out)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        question, texts = body["query"], body["documents"]
        vectors = self.server.model.vectors([question] + texts)
        scores = vectors[1:] @ vectors[0]
        results = [{"index": i, "relevance_score": float(s)} for i, s in enumerate(scores)]
        answer = json.dumps({"results": results}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", int(sys.argv[3])), Handler)
    server.model = Model(sys.argv[1], sys.argv[2], int(sys.argv[4]) if len(sys.argv) > 4 else 256)
    server.serve_forever()
