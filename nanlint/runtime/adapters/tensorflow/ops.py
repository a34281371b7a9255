"""What TensorFlow's ops do with a value that is not finite: move it, hide it, bring it in; or give birth to one."""

from __future__ import annotations


def named(names: str) -> frozenset[str]:
    """Ops, by the words of a text."""
    return frozenset(names.split())


#: a finite input gives a finite output, and what is not finite is only moved: no birth, nothing to look at
MOVES = named(
    """
    Abs All Any ArgMax ArgMin Assert AssignVariableOp BatchToSpaceND Bitcast BroadcastArgs BroadcastGradientArgs
    BroadcastTo Case Ceil CheckNumerics ClipByValue Concat ConcatOffset ConcatV2 ConjugateTranspose Const
    DeepCopy DepthToSpace DestroyResourceOp DiagPart DynamicPartition DynamicStitch Elu EluGrad EnsureShape Equal Erf
    ExpandDims ExtractImagePatches
    Fill Floor Gather GatherNd GatherV2 Greater GreaterEqual HashTableV2 Identity IdentityN If InvertPermutation
    IsFinite IsInf IsNan LeakyRelu LeakyReluGrad Less LessEqual LogicalAnd LogicalNot LogicalOr MatrixBandPart
    MatrixDiag MatrixDiagPart MatrixDiagPartV3 MatrixDiagV3 MatrixSetDiagV3 MatrixTranspose Max MaxPool MaxPoolGrad
    Maximum Min Minimum MirrorPad Neg NoOp NotEqual OneHot OnesLike Pack Pad PadV2 ParallelDynamicStitch
    PartitionedCall Placeholder PlaceholderWithDefault PreventGradient Print PrintV2 RandomShuffle RandomStandardNormal
    RandomUniform RandomUniformInt Range Rank ReadVariableOp Relu Relu6 Relu6Grad ReluGrad Reshape ResourceGather
    ResourceGatherNd Reverse ReverseSequence ReverseV2 Rint Roll Round Select SelectV2 Shape ShapeN Sigmoid
    SigmoidGrad Sign Size Slice Snapshot SpaceToBatchND SpaceToDepth Split SplitV Squeeze StackPopV2 StackPushV2
    StatefulPartitionedCall StatefulUniform StatelessCase StatelessIf StatelessMultinomial StatelessRandomNormal
    StatelessRandomNormalV2 StatelessRandomUniform StatelessRandomUniformV2 StatelessTruncatedNormal
    StatelessTruncatedNormalV2 StatelessWhile StopGradient StridedSlice StridedSliceGrad Tanh TanhGrad
    TensorListConcatV2 TensorListElementShape TensorListFromTensor TensorListGather TensorListGetItem TensorListLength
    TensorListPopBack TensorListPushBack TensorListReserve TensorListResize TensorListScatterIntoExistingList
    TensorListScatterV2 TensorListSetItem TensorListSplit TensorListStack TensorScatterUpdate Tile TopK TopKV2
    Transpose TruncatedNormal Unique UniqueV2 Unpack VarHandleOp VarIsInitializedOp VariableShape Where While ZerosLike
    """
)

#: bring numbers in from outside: what is not finite there was in the data
READS = named(
    """
    Batch BatchFunction DecodeCSV DecodeCompressed DecodeJSONTensor DecodePaddedRaw DecodeRaw IteratorGetNext
    IteratorGetNextAsOptional IteratorGetNextSync OptionalGetValue ParseExample ParseExampleV2 ParseSequenceExampleV2
    ParseSingleExample ParseTensor QueueDequeueV2 QueueDequeueManyV2 ReadFile RestoreV2 StringToNumber
    """
)

#: can give a finite output of a nan
HIDES = named("ClipByValue DivNoNan MaxPool Maximum Minimum MulNoNan Relu Relu6 Select SelectV2 XDivNoNan")

#: show numbers; ask for the shape only; compare elements, which is no use of them; ask if they are finite
PRINTS = named("AsString Print PrintV2 StringFormat SaveV2 WriteScalarSummary WriteHistogramSummary WriteSummary")
UNREAD = named("OnesLike Rank Shape ShapeN Size ZerosLike")
COMPARES = named("Equal Greater GreaterEqual Less LessEqual NotEqual")
TESTS = named("IsFinite IsInf IsNan")

#: hold elements at a bound
CLAMPS = named("ClipByValue Maximum Minimum")

#: what is not finite in any input, is not finite in the output either: it is enough to look at that
HANDS_ON = named(
    """
    Abs Add AddN AddV2 AssignAddVariableOp AssignSubVariableOp BatchMatMulV2 BiasAdd BiasAddGrad BroadcastTo ConcatV2
    Conv2D ExpandDims Identity L2Loss Log
    MatMul Mean Mul Neg Pack Prod Reshape Sqrt Square SquaredDifference Squeeze Sub Sum Tile Transpose
    """
)

#: the same of one input
HANDS_ON_INPUT = {"RealDiv": 0, "SqrtGrad": 1, "StridedSliceGrad": 4, "ReciprocalGrad": 1, "RsqrtGrad": 1}

#: functions and control flow: what is born inside is told there
CALLS = named("Case If PartitionedCall StatefulPartitionedCall StatelessCase StatelessIf StatelessWhile While")

_FUNCTIONS = ("__inference_", "__forward_", "__backward_", "__wrapped__")


def is_call(op: str) -> bool:
    """Whether an op executes a graph of its own."""
    return op in CALLS or op.startswith(_FUNCTIONS)


def says_nothing(op: str) -> bool:
    """Whether no non-finite value can be born in an op itself."""
    return op in MOVES or op in READS or op.startswith(_FUNCTIONS)


def hands_on(op: str, i: int) -> bool:
    """Whether something not finite in input ``i`` of an op is sure to be seen in its output."""
    return op in HANDS_ON or HANDS_ON_INPUT.get(op) == i


#: the op that breaks, of neutral ops that TensorFlow calls otherwise, or computes by several
_SPELLED = {
    "bce": named("Log"),
    "bce_with_logits": named("Log1p"),
    "cosine": named("Rsqrt RealDiv"),
    "cross_entropy": named("SparseSoftmaxCrossEntropyWithLogits SoftmaxCrossEntropyWithLogits Log"),
    "ctc": named("CTCLoss CTCLossV2"),
    "distance": named("Sqrt"),
    "div": named("Div RealDiv"),
    "log10": named("Log"),
    "log2": named("Log"),
    "log_base": named("Log"),
    "logsumexp": named("Log"),
    "norm": named("Sqrt"),
    "normalize": named("Rsqrt RealDiv"),
    "reciprocal": named("Inv RealDiv Reciprocal"),
    "std": named("Sqrt"),
    "var": named("Mean"),
}


def spells(neutral: str, op: str) -> bool:
    """Whether an op of TensorFlow is, or is what breaks of, a neutral op."""
    return op in _SPELLED[neutral] if neutral in _SPELLED else op.lower() == neutral.replace("_", "")
