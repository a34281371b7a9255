"""A transcript that does not fit into its frames has probability 0 under CTC."""

import torch

torch.manual_seed(0)
frames = torch.randn(4, 2, 5).log_softmax(dim=-1)
transcripts = torch.tensor([[1, 2, 3], [1, 1, 2]])
loss = torch.nn.functional.ctc_loss(frames, transcripts, (4, 3), (3, 3), reduction="none")  # born
print(loss)
