"""With what programs save and read numbers: functions, by the module whose import brings them."""

from __future__ import annotations

#: what writes one of its first arguments
SAVES = {
    "pickle": ("dump",),
    "numpy": ("save", "savez", "savez_compressed", "savetxt"),
    "torch": ("save",),
    "torch.utils.tensorboard": (
        *("SummaryWriter.add_scalar", "SummaryWriter.add_scalars", "SummaryWriter.add_tensor"),
        *("SummaryWriter.add_histogram", "SummaryWriter.add_hparams"),
    ),
    "tensorboardX": ("SummaryWriter.add_scalar", "SummaryWriter.add_scalars", "SummaryWriter.add_histogram"),
    "tensorboard.plugins.scalar.summary_v2": ("scalar",),
    "tensorboard.plugins.histogram.summary_v2": ("histogram",),
    "safetensors.torch": ("save", "save_file"),
    "safetensors.numpy": ("save", "save_file"),
    "safetensors.flax": ("save", "save_file"),
    "safetensors.tensorflow": ("save", "save_file"),
    "h5py": ("Group.create_dataset", "Group.__setitem__", "Dataset.__setitem__"),
    "scipy.io": ("savemat", "wavfile.write"),
    "joblib": ("dump",),
}
#: what gives what was written somewhere before
READS = {
    "pickle": ("load",),
    "numpy": ("load", "loadtxt", "genfromtxt", "fromfile", "frombuffer", "fromstring"),
    "torch": ("load",),
    "safetensors.torch": ("load", "load_file"),
    "safetensors.numpy": ("load", "load_file"),
    "safetensors.flax": ("load", "load_file"),
    "safetensors.tensorflow": ("load", "load_file"),
    "h5py": ("Dataset.__getitem__",),
    "scipy.io": ("loadmat", "wavfile.read"),
    "joblib": ("load",),
    "pandas": ("read_csv", "read_table", "read_parquet", "read_json", "read_excel", "read_pickle", "read_feather"),
    "polars": ("read_csv", "read_parquet", "read_json", "read_excel"),
}
