"""An LSTM over packed sequences, attention with a mask, CTC, embeddings that stay at 0, beam search, own warnings."""

import warnings

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

warnings.simplefilter("error", RuntimeWarning)
torch.manual_seed(0)
rows = [torch.randn(n, 3) for n in (5, 3, 2)]
padded = pad_sequence(rows, batch_first=True)
lstm = torch.nn.LSTM(3, 4, batch_first=True, bidirectional=True)
packed = pack_padded_sequence(padded, torch.tensor([5, 3, 2]), batch_first=True)
output, lengths = pad_packed_sequence(lstm(packed)[0], batch_first=True)
mask = torch.arange(5)[None] >= lengths[:, None]
attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
mixed, weights = attention(output, output, output, key_padding_mask=mask)
pooled = mixed.masked_fill(mask[..., None], 0).sum(1) / lengths[:, None]
scores = torch.nn.functional.log_softmax(torch.nn.Linear(8, 5)(mixed), -1).transpose(0, 1)
targets = torch.tensor([1, 2, 3, 1, 4])
ctc = torch.nn.functional.ctc_loss(scores, targets, lengths, torch.tensor([2, 2, 1]), zero_infinity=True)
(ctc + pooled.square().mean()).backward()
print(ctc, pooled, weights.sum(-1), lstm.weight_hh_l0.grad.norm())

embedding = torch.nn.Embedding(6, 3, padding_idx=0, sparse=True)
embedding(torch.tensor([[0, 1, 2], [2, 0, 0]])).pow(2).sum().backward()
print(embedding.weight.grad.coalesce().indices(), embedding.weight.grad.to_dense()[0])
torch.optim.SparseAdam(embedding.parameters()).step()
print(embedding.weight)

beams = [((), torch.zeros(()))]
step = torch.log_softmax(torch.randn(3), 0)
for _ in range(3):
    beams = [((*path, i), total + step[i]) for path, total in beams for i in range(3)]
    beams = sorted(beams, key=lambda one: -one[1].item())[:2]
print(beams)
try:
    torch.linalg.cholesky(-torch.eye(2))
except torch.linalg.LinAlgError as error:
    print(type(error).__name__)
