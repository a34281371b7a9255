"""NL703: two sequences of two steps; the second, of two equal letters, would need three."""

from tests.fixes.proving import Proof

PAIR = (((2, 3), (2, 3)),)
CTC = (
    "F.log_softmax(torch.stack([x, y], 1), -1), torch.tensor([[1, 2], [1, 1]]), torch.tensor([2, 2]), "
    "torch.tensor([2, 2])"
)
PROOFS = {
    "torch": Proof("NL703", "torch", f"return F.ctc_loss({CTC}, reduction='none')", 0.0, shapes=PAIR),
    "torch-layer": Proof(
        "NL703", "torch", f"ctc = torch.nn.CTCLoss(reduction='none')\nreturn ctc({CTC})", 0.0, shapes=PAIR
    ),
}
