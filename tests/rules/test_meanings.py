"""What operations mean that no number says: signs of what is learned, formats, labels left out, tapes that are cut."""

from __future__ import annotations

import pytest

from tests.marked import JAX, KERAS, NUMPY, TF, TORCH, check, said


def test_the_result_of_a_layer_has_either_sign() -> None:
    check(
        TORCH,
        """
        class Net(nn.Module):
            def __init__(self, gamma=0.7):
                super().__init__()
                self.conv, self.fc = nn.Conv2d(3, 3, 3), nn.Linear(3, 1)
                self.gamma, self.power = gamma, 1.5
                self.register_buffer("weights", torch.tensor((0.3, 0.7)))

            def forward(self, x):
                return self.conv(x) ** self.gamma  # error: [NL206]

            def weighted(self, x):
                return self.fc(x).mean(0) ** self.weights  # error: [NL206]

            def roots(self, x):
                return torch.sqrt(self.fc(x)) + torch.log(2.0 * self.fc(x))  # error: [NL514, NL108]

            def bounded(self, x):
                h = self.fc(x)
                return F.softplus(h) ** self.power + h.clamp(min=1e-6) ** self.power + h.abs() ** self.power

            def whole(self, x, n: int):
                return self.fc(x) ** 2 + self.fc(x) ** 3 + (self.fc(x) ** 2).sum().sqrt().detach()
        """,
    )


def test_layers_that_a_loop_lists_have_either_sign() -> None:
    check(
        TORCH,
        """
        class Field(nn.Module):
            def __init__(self, sizes, n=1.9):
                super().__init__()
                parts = []
                for i in range(len(sizes) - 1):
                    parts.append(nn.Linear(sizes[i], sizes[i + 1]))
                    parts.append(nn.Tanh())
                self.net, self.n = nn.Sequential(*parts[:-1]), n

            def forward(self, x):
                return self.closure(self.net(x)) + torch.log1p(self.net(x))  # error: [NL108]

            def closure(self, psi):
                return 1 + (0.8 * psi) ** self.n  # error: [NL206]
        """,
    )


def test_a_layer_by_hand_has_either_sign() -> None:
    check(
        JAX,
        """
        def mlp(params, x):
            return jnp.tanh(x @ params["w1"] + params["b1"]) @ params["w2"] + params["b2"]

        def flow_loss(params, x):
            return jnp.mean(jnp.power(mlp(params, x), 1.5))  # error: [NL206]

        def layers(params, x):
            for w, b in params[:-1]:
                x = jnp.tanh(x @ w + b)
            w, b = params[-1]
            return x @ w + b

        def root_loss(params, x):
            return jnp.mean(layers(params, x) ** 0.5)  # error: [NL206]

        def mixed(p, q):
            return jnp.sqrt(p @ q + p)
        """,
    )


def test_a_layer_of_keras_is_what_its_activation_leaves() -> None:
    check(
        KERAS,
        """
        free, positive = layers.Dense(1), layers.Dense(1, activation="softplus")

        def consistency(x):
            return ops.power(free(x), 0.6)  # error: [NL206]

        def bounded(x):
            return ops.power(positive(x) + 1e-6, 0.6)
        """,
    )


def test_a_covariance_and_a_cosine_have_either_sign() -> None:
    check(
        TORCH,
        """
        def contrast(x, y, c=9e-4):
            mx, my = F.avg_pool2d(x, 3), F.avg_pool2d(y, 3)
            covariance = F.avg_pool2d(x * y, 3) - mx * my
            spread = F.avg_pool2d(x * x, 3) - mx**2 + F.avg_pool2d(y * y, 3) - my**2
            return ((2 * covariance + c) / (spread + c)).mean()

        def similarity_loss(x, y, a, b):
            cosine = F.cosine_similarity(a, b, dim=-1)
            first = contrast(x, y) ** 0.3  # error: [NL206]
            return first + cosine ** 0.5  # error: [NL206]

        def rectified_loss(x, y):
            return (F.relu(contrast(x, y)) + 1e-6) ** 0.3

        def length_loss(u, p):
            return torch.sqrt(((u @ p) * u).sum(-1) + 1.0)
        """,
    )


HALVES = """
    class Head(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(8, 4)

        def forward(self, x):
            p = torch.sigmoid(self.fc(x){cast}).clamp(1e-5, 1 - 1e-5)
            return -torch.log(1 - p).mean()

    def train(x):
        model = Head(){model}
        {conversion}
        model(x).backward()
    """


@pytest.mark.parametrize(
    ("model", "conversion", "cast", "void"),
    [
        (".half()", "", "", True),
        (".to(torch.bfloat16).cuda()", "", "", True),
        (".to(dtype=torch.float16)", "", "", True),
        ("", "model.half()", "", True),
        ("", "", "", False),
        (".half()", "", ".float()", False),
        (".half()", "model.float()", "", False),
        (".to('cuda')", "", "", False),
    ],
)
def test_a_model_computes_in_the_format_of_its_weights(model: str, conversion: str, cast: str, void: bool) -> None:
    source = HALVES.format(model=model, conversion=conversion, cast=cast)
    found = {code for code, confidence in said(TORCH, source) if confidence != "possible"}
    assert bool(found & {"NL103", "NL105", "NL502"}) == void, found


def test_a_number_beyond_half_precision_is_infinite() -> None:
    check(
        TORCH,
        """
        def masked(scores, keep):
            bias = (1.0 - keep.half()) * -1e9  # error: [NL409]
            return F.softmax(scores.half() + bias, dim=-1)

        def as_the_scores(scores, keep):
            scores = scores.half()
            bias = (1.0 - keep.to(scores.dtype)) * -1e9  # error: [NL409]
            return F.softmax(scores + bias, dim=-1)

        def brain(scores, keep):
            return F.softmax(scores.bfloat16() + (1.0 - keep.bfloat16()) * -1e9, dim=-1)

        def within(scores, keep):
            return F.softmax(scores.half() + (1.0 - keep.half()) * -1e4, dim=-1)

        def single(scores, keep):
            return F.softmax(scores + (1.0 - keep.float()) * -1e9, dim=-1)

        def scaled(loss):
            return loss.half() * 65536.0

        def bias_of(mask, dtype=torch.float16):
            return (1.0 - mask.to(dtype)) * -1e9  # error: [NL409]

        def bias_in(mask, dtype):
            return (1.0 - mask.to(dtype)) * -1e9

        @torch.autocast("cuda", dtype=torch.float16)
        def forward(x, mask):
            scores = nn.Linear(8, 8)(x)
            return F.softmax(scores + (1 - mask.to(scores.dtype)) * -1e10, -1)  # error: [NL409]
        """,
    )


ATTENTION = """
    class Attention(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.q, self.k = nn.Linear(d, d), nn.Linear(d, d)

        def forward(self, x, keep):
            scores = self.q(x) @ self.k(x).transpose(-1, -2)
            return torch.softmax(scores + (1.0 - keep.to(scores.dtype)) * -1e9, -1)

    def step(x, keep):
        model = Attention(8)
        with {context}:
            loss = model(x, keep).mean()
        loss.backward()
    """


@pytest.mark.parametrize(
    ("context", "beyond"),
    [
        ("torch.autocast('cuda')", True),
        ("torch.cuda.amp.autocast()", True),
        ("torch.autocast('cuda', dtype=torch.bfloat16)", False),
        ("torch.autocast('cuda', enabled=False)", False),
    ],
)
def test_autocast_has_products_in_half_precision(context: str, beyond: bool) -> None:
    assert (("NL409", "likely") in said(TORCH, ATTENTION.format(context=context))) == beyond


@pytest.mark.parametrize(
    ("precision", "beyond"), [("16", True), ("'16-mixed'", True), ("'bf16-mixed'", False), ("32", False)]
)
def test_a_trainer_has_its_models_run_under_autocast(precision: str, beyond: bool) -> None:
    source = f"""
        import pytorch_lightning as pl

        class Attention(pl.LightningModule):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(8, 8)

            def training_step(self, batch, i):
                scores = self.fc(batch[0])
                return torch.softmax(scores + (1.0 - batch[1].to(scores.dtype)) * -1e9, -1).mean()

        trainer = pl.Trainer(precision={precision})
        """
    assert (said(TORCH, source) == [("NL409", "likely")]) == beyond


@pytest.mark.parametrize(
    ("policy", "layer", "void"),
    [
        ("keras.mixed_precision.set_global_policy('mixed_float16')", "layers.Dense(4, activation='sigmoid')", True),
        ("keras.config.set_dtype_policy('mixed_float16')", "layers.Dense(4, activation='sigmoid')", True),
        ("", "layers.Dense(4, activation='sigmoid')", False),
        (
            "keras.mixed_precision.set_global_policy('mixed_float16')",
            "layers.Dense(4, activation='sigmoid', dtype='float32')",
            False,
        ),
    ],
)
def test_a_policy_of_keras_is_that_of_its_layers(policy: str, layer: str, void: bool) -> None:
    source = f"""
        {policy}
        layer = {layer}

        def nll(x):
            return -ops.log(layer(x) + 1e-8)
        """
    assert ("certain" in [confidence for _, confidence in said(KERAS, source)]) == void


def test_labels_may_all_be_left_out() -> None:
    check(
        TORCH,
        """
        PAD = 0

        class Segmenter(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Conv2d(3, 5, 1)
                self.loss = nn.CrossEntropyLoss(ignore_index=255)

            def training_step(self, batch):
                x, y = batch
                return self.loss(self.net(x), y)  # error: [NL304]

        def masked_loss(logits, labels, masked):
            labels = labels.clone()
            labels[~masked] = -100
            return F.cross_entropy(logits.view(-1, logits.size(-1)), labels.view(-1))  # error: [NL304]

        def chosen_loss(log_p, labels, keep):
            return F.nll_loss(log_p, torch.where(keep, labels, -100))  # error: [NL304]

        def written_loss(logits):
            return F.cross_entropy(logits, torch.tensor([-100, -100]))  # error: [NL304]

        def plain_loss(logits, labels):
            return F.cross_entropy(logits, labels)

        def padded_loss(logits, labels, pad_token_id):
            by_name = F.cross_entropy(logits, labels, ignore_index=pad_token_id)
            return by_name + F.cross_entropy(logits, labels, ignore_index=PAD)

        def guarded_loss(logits, labels):
            if (labels != 255).any():
                return F.cross_entropy(logits, labels, ignore_index=255)
            return logits.sum() * 0

        def summed_loss(logits, labels):
            total = F.cross_entropy(logits, labels, ignore_index=255, reduction="sum")
            return total / (labels != 255).sum().clamp(min=1)
        """,
    )


def test_a_loss_may_be_of_no_elements() -> None:
    check(
        TORCH,
        """
        def box_loss(boxes, target, labels):
            positive = labels > 0
            return F.smooth_l1_loss(boxes[positive], target[positive])  # error: [NL304]

        def sure_loss(logits, target, confidence):
            keep = confidence > 0.95
            return F.cross_entropy(logits[keep], target[keep])  # error: [NL304]

        def set_loss(logits, labels, lengths):
            labels = labels.clone()
            for i, n in enumerate(lengths):
                labels[i, :n] = -100
            return F.cross_entropy(logits, labels)  # error: [NL304]

        def counted_loss(boxes, target, labels):
            positive = labels > 0
            total = F.smooth_l1_loss(boxes[positive], target[positive], reduction="sum")
            return total / max(1, positive.sum().item())

        def tested_loss(boxes, target, labels):
            positive = labels > 0
            if positive.any():
                return F.smooth_l1_loss(boxes[positive], target[positive])
            return boxes.sum() * 0
        """,
    )


def test_a_softmax_by_hand_may_be_filled_by_a_loop() -> None:
    check(
        NUMPY,
        """
        class Bandit:
            def __init__(self, n, tau=0.1):
                self.h, self.tau = np.zeros(n), tau

            def update(self, a, r):
                self.h[a] += 0.1 * (r - self.h[a])

            def filled(self):
                w = np.zeros(len(self.h))
                for i in range(len(self.h)):
                    w[i] = np.exp(self.h[i] / self.tau)
                return w / w.sum()  # error: [NL401]

            def added(self):
                w, total = np.zeros(len(self.h)), 0.0
                for i in range(len(self.h)):
                    w[i] = np.exp(self.h[i] / self.tau)
                    total += w[i]
                return w / total  # error: [NL401]

            def listed(self):
                w = [np.exp(h / self.tau) for h in self.h]
                return np.array(w) / np.sum(w)  # error: [NL401]

            def shifted(self):
                w, top = np.zeros(len(self.h)), max(self.h)
                for i in range(len(self.h)):
                    w[i] = np.exp((self.h[i] - top) / self.tau)
                return w / w.sum()
        """,
    )


def test_a_log_variance_beside_its_exponential_is_learned() -> None:
    check(
        TORCH,
        """
        def kl_loss(mu, logvar):
            return -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())  # error: [NL403]

        def clamped_loss(mu, logvar):
            logvar = logvar.clamp(-30.0, 20.0)
            return -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())

        mu, logvar = torch.zeros(2), torch.zeros(2, requires_grad=True)
        (kl_loss(mu, logvar) + clamped_loss(mu, logvar)).backward()
        """,
    )


def test_a_log_variance_that_every_call_bounds_is_not() -> None:
    source = """
        class VAE(nn.Module):
            def __init__(self):
                super().__init__()
                self.mu, self.logvar = nn.Linear(4, 2), nn.Linear(4, 2)

            def forward(self, x):
                return self.mu(x), self.logvar(x).clamp(-30.0, 20.0)

        def kl_loss(mu, logvar):
            return -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())

        def train(x):
            model = VAE()
            kl_loss(*model(x)).backward()
        """
    assert said(TORCH, source) == []


def test_targets_are_0_at_times() -> None:
    check(
        TORCH,
        """
        def mape_loss(pred, target):
            return torch.mean(torch.abs((target - pred) / target))  # error: [NL303]

        def aspect_loss(pred, true_wh):
            return (torch.atan(true_wh[:, 0] / true_wh[:, 1]) - pred).square().mean()  # error: [NL303]

        def bounded_loss(pred, target):
            return torch.mean(torch.abs((target - pred) / target.abs().clamp(min=1e-6)))

        def sized_loss(pred, target_size):
            return (pred / target_size).mean()
        """,
    )
    assert said(NUMPY, "def mape(y_true, y_pred):\n    return np.abs((y_true - y_pred) / y_true).mean()\n") == [
        ("NL303", "possible")
    ]


def test_a_factor_of_0_does_not_hide_what_is_missing() -> None:
    check(
        TF,
        NUMPY,
        """
        def masked_error(pred, target):
            mask = tf.cast(tf.math.is_finite(target), tf.float32)
            return tf.reduce_sum(tf.square(pred - target) * mask) / (tf.reduce_sum(mask) + 1.0)  # error: [NL405]

        def measured(pred, target):
            valid = 1.0 - np.isnan(target)
            return (valid * np.abs(pred - target)).sum() / max(valid.sum(), 1)  # error: [NL405]

        def filled(pred, target):
            valid = ~np.isnan(target)
            return (np.abs(pred - np.nan_to_num(target)) * valid).sum() / max(valid.sum(), 1)
        """,
    )


def test_a_tape_is_cut_by_what_has_no_derivative() -> None:
    check(
        TF,
        """
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])

        def number(x, y):
            with tf.GradientTape() as tape:
                loss = float(tf.reduce_mean((model(x) - y) ** 2))  # error: [NL601]
            return tape.gradient(loss, model.trainable_variables)

        def array(x, y):
            with tf.GradientTape() as tape:
                pred = model(x).numpy()  # error: [NL601]
                loss = tf.reduce_mean((pred - y) ** 2)
            return tape.gradient(loss, model.trainable_variables)

        def place(x, y):
            with tf.GradientTape() as tape:
                pred = tf.cast(tf.argmax(model(x), -1), tf.float32)  # error: [NL601]
                loss = tf.reduce_mean((pred - y) ** 2)
            return tape.gradient(loss, model.trainable_variables)

        def told(x, y):
            with tf.GradientTape() as tape:
                pred = model(x)
                loss = tf.reduce_mean((pred - y) ** 2)
            print(float(loss), tf.argmax(pred, -1).numpy())
            return tape.gradient(loss, model.trainable_variables)
        """,
    )


def test_a_batch_and_an_episode_may_have_one_element() -> None:
    check(
        TORCH,
        """
        def policy_loss(log_probs, rewards):
            gathered, total = [], 0.0
            for reward in reversed(rewards):
                total = reward + 0.9 * total
                gathered.insert(0, total)
            x = torch.tensor(gathered)
            x = (x - x.mean()) / (x.std() + 1e-9)  # error: [NL305]
            return -(torch.stack(log_probs) * x).sum()

        def clipped_loss(ratio, advantages):
            scaled = (advantages - advantages.mean()) / (advantages.std() + 1e-8)  # error: [NL305]
            return -(ratio * scaled).mean()

        class Whitened(nn.Module):
            def forward(self, z):
                return (z - z.mean(0)) / (z.std(0) + 1e-5)  # error: [NL305]

        class Scaled(nn.Module):
            def forward(self, x):
                return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6)

        def counted_loss(ratio, advantages):
            if len(advantages) > 1:
                advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            return -(ratio * advantages).mean()

        def summary(data):
            return data.mean(0), data.std(0)
        """,
    )


def test_an_exponential_of_a_cosine_is_as_large_as_its_default_scale() -> None:
    source = """
        class Contrast(nn.Module):
            def __init__(self, temperature={temperature}):
                super().__init__()
                self.temperature = temperature

            def forward(self, z):
                z = F.normalize(z, dim=1)
                e = torch.exp(z @ z.t() / self.temperature)
                return -torch.log(e[:, 0] / e.sum(1)).mean()
        """
    assert ("NL401", "certain") in said(TORCH, source.format(temperature=0.01))
    assert "NL401" not in dict(said(TORCH, source.format(temperature=0.5)))


FITTED = """
    def train(path):
        table = {read}
        x, y = table[:, :-1], table[:, -1]
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        model.fit(x, y)
    """


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ("np.genfromtxt(path, delimiter=',')", [("NL801", "likely")]),
        ("np.genfromtxt(path, delimiter=',', skip_header=1)", []),
        ("pd.read_csv(path, na_values='?').values", [("NL801", "likely")]),
        ("pd.read_csv(path, na_values='?').dropna().values", []),
        ("pd.read_csv(path).values", []),
    ],
)
def test_what_a_model_is_fitted_to_is_read_without_its_holes(read: str, expected: list[tuple[str, str]]) -> None:
    assert said(TF, NUMPY, "import pandas as pd\n", FITTED.format(read=read)) == expected


def test_a_layer_that_learns_nothing_has_no_sign_of_its_own() -> None:
    check(
        KERAS,
        """
        scaled = keras.Sequential([layers.Dense(3, activation="softmax"), layers.Rescaling(1.0, offset=1e-6)])

        def of_a_model(x):
            return ops.mean(ops.log(scaled(x)))

        def of_a_product(x, y):
            return ops.log(layers.Dot(axes=1)([ops.softmax(x), ops.softmax(y)]) + 1e-6)

        def of_an_average(query, x):
            return ops.log(layers.Attention()([query, ops.softmax(x)]) + 1e-6)
        """,
    )


def test_what_is_asked_to_change_in_place_is_changed() -> None:
    check(
        TORCH,
        """
        def named(x):
            count = (x > 0).float().sum(-1, keepdim=True)
            F.threshold(count, 1, 1, inplace=True)
            return x / count

        def positional(x):
            count = (x > 0).float().sum(-1, keepdim=True)
            F.threshold(count, 1, 1, True)
            return x / count

        def dropped(x):
            count = (x > 0).float().sum(-1, keepdim=True)
            F.threshold(count, 1, 1)
            return x / count  # error: [NL301]

        def elsewhere(x):
            count = (x > 0).float().sum(-1, keepdim=True)
            F.threshold(count, 1, 1, inplace=False)
            return x / count  # error: [NL301]
        """,
    )


@pytest.mark.parametrize(
    "form",
    [
        "-0.5 * (d @ np.linalg.inv(S) @ d)",
        "-d.T @ np.linalg.pinv(S) @ d / 2",
        "-0.5 * d @ np.linalg.solve(S, d)",
        "-d @ (2 * d)",
    ],
)
def test_a_mahalanobis_distance_is_not_negative(form: str) -> None:
    """So that its exponential, negated, does not overflow; that of any other bilinear form may."""
    text = """
        def weights(d, S):
            p = np.exp({form})
            return p / np.sum(p)  # error: [{code}]
    """
    check(NUMPY, text.format(form=form, code="NL301"))
    check(NUMPY, text.format(form="-0.5 * d @ S @ d", code="NL401"))


def test_a_draw_takes_the_logarithm_of_0_for_what_it_means() -> None:
    check(
        KERAS,
        """
        def sample(logits, seed):
            p = keras.ops.softmax(logits)
            return keras.random.categorical(keras.ops.log(p), 1, seed=seed)  # error: [NL101] possible

        def score(logits):
            return keras.ops.log(keras.ops.softmax(logits))  # error: [NL101]
        """,
    )
    check(
        JAX,
        """
        def sample(key, logits, keep):
            p = jnp.where(keep, jax.nn.softmax(logits), 0.0)
            return jax.random.categorical(key, jnp.log(p))  # error: [NL101] possible
        """,
    )


def test_weights_of_a_mean_are_a_callers() -> None:
    """That a mask selects nothing is ordinary; that all weights are 0 is not."""
    check(
        TORCH,
        """
        def weighed(x, w):
            return (x * w).sum() / w.sum()  # error: [NL301] possible

        def masked(x, y):
            m = (y > 0).float()
            return (x * m).sum() / m.sum()  # error: [NL301]
        """,
    )


def test_a_bound_that_a_setting_has_by_default_keeps_off_what_is_beyond() -> None:
    check(
        NUMPY,
        """
        def softplus(x, threshold: float = 20.0):
            return np.where(x > threshold, x, np.log1p(np.exp(x)))

        def open(x, threshold):
            return np.where(x > threshold, x, np.log1p(np.exp(x)))  # error: [NL107]
        """,
    )


def test_whoever_calls_asks_how_many_there_are() -> None:
    loss = """
        def spread_loss(z):
            return (1.0 - torch.sqrt(z.var(dim=0) + 1e-4)).relu().mean(){error}

        class Loss(nn.Module):
            def forward(self, a, b):
                {ask}
                if self.gathered:
                    a = torch.cat(self.gather(a), dim=0)
                loss = spread_loss(a) + spread_loss(b)
                return loss
    """
    asked = 'assert a.shape[0] > 1 and b.shape[0] > 1, "more than one"'
    check(TORCH, loss.format(ask=asked, error=""))
    check(TORCH, loss.format(ask="print(a.shape[0])", error="  # error: [NL305]"))


def test_a_loss_that_is_only_called_without_gradients_takes_none() -> None:
    loss = """
        def pull_loss(a, b):
            return torch.sqrt(torch.sum((a - b) ** 2, 1)){error}

        def run(model, engine):
            def step(batch):
                with {context}:
                    return pull_loss(*model(batch)).mean()
            return engine(step)
    """
    check(TORCH, loss.format(context="torch.no_grad()", error="  # error: [NL201] possible"))
    check(TORCH, loss.format(context="torch.enable_grad()", error="  # error: [NL201]"))


def test_operators_leave_an_array_to_its_framework() -> None:
    """NumPy divides by n where PyTorch divides by n - 1, and does not differentiate."""
    check(
        TORCH + NUMPY,
        """
        def plotted(errors, model):
            e = np.array([float(model(one)) for one in errors])
            spread = (e**2).std(axis=0) / len(errors) ** 0.5
            return ((e**2).mean(axis=0) - spread) ** 0.5 + (np.stack([e, e]) - 1).transpose(1, 0)
        """,
    )


def test_an_end_that_a_factor_moves_is_no_end_of_the_product() -> None:
    check(
        TORCH,
        '''
        def mixed(beta, x, v, index, n, scale=0.99):
            """Mix.

            Args:
                scale (float, optional): should be between 0 and 1. Default: 0.99
            """
            b = torch.tanh(beta) * scale + 1
            total = torch.zeros((n, 1)).index_add_(0, index=index, source=b)
            return v / b + v / total  # error: [NL303] possible
        ''',
    )


def test_what_is_in_the_result_of_a_model_is_no_input() -> None:
    check(
        TORCH,
        """
        def from_model(model, texts):
            f = model(text=texts)["features"]
            return f / f.norm(dim=-1, keepdim=True)  # error: [NL302] possible

        def from_batch(batch):
            f = batch["features"]
            return f / f.norm(dim=-1, keepdim=True)  # error: [NL302]
        """,
    )


def test_rows_that_no_call_gives_are_possible() -> None:
    graph = """
        class Graph(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.nodes = nn.Embedding(n, 8)

            def forward(self, features):
                return self.neighbours({given})

            def neighbours(self, x):
                x = x / torch.norm(x, dim=-1, keepdim=True){error}
                return x @ x.T
    """
    check(TORCH, graph.format(given="self.nodes.weight", error="  # error: [NL302] possible"))
    check(TORCH, graph.format(given="features", error="  # error: [NL302]"))
