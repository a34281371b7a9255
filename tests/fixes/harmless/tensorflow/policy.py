"""Reinforcement learning losses."""

import tensorflow as tf


def pick(p, actions):
    return tf.reduce_sum(p * tf.one_hot(actions, p.shape[-1]), -1)


def pg_loss(logits, actions, adv):
    p = tf.nn.softmax(logits)
    return -tf.reduce_mean(tf.math.log(pick(p, actions)) * adv)


def entropy(logits):
    p = tf.nn.softmax(logits)
    return -tf.reduce_sum(p * tf.math.log(p), axis=-1)


def standardise(x):
    return (x - tf.reduce_mean(x)) / tf.math.reduce_std(x)


def ppo(new, old, adv, clip=0.2):
    ratio = tf.exp(new - old)
    adv = standardise(adv)
    return -tf.reduce_mean(tf.minimum(ratio * adv, tf.clip_by_value(ratio, 1 - clip, 1 + clip) * adv))


def squashed(mean, log_std, noise):
    u = mean + tf.exp(log_std) * noise
    return tf.tanh(u), -0.5 * noise**2 - log_std - tf.math.log(1 - tf.tanh(u) ** 2 + 1e-6)


def discount(rewards, gamma=0.9):
    return tf.scan(lambda g, r: r + gamma * g, rewards, initializer=tf.constant(0.0), reverse=True)


def legal_max(q, legal):
    q = tf.where(legal, q, -float("inf"))
    best = tf.reduce_max(q, -1)
    return tf.where(tf.math.is_inf(best), 0.0, best), best


def legal_policy(logits, legal):
    e = tf.exp(logits) * tf.cast(legal, logits.dtype)
    return e / tf.reduce_sum(e, -1, keepdims=True)


def priority(td, alpha=0.6, beta=0.4):
    p = tf.abs(td) ** alpha
    p = p / tf.reduce_sum(p)
    w = (tf.cast(tf.size(td), p.dtype) * p) ** -beta
    return p, w / tf.reduce_max(w)


def ucb(values, counts):
    total = tf.reduce_sum(counts)
    return values / counts + tf.sqrt(2 * tf.math.log(total) / counts)


def kl(old, new):
    p, q = tf.nn.softmax(old), tf.nn.softmax(new)
    return tf.reduce_sum(p * (tf.math.log(p) - tf.math.log(q)), -1)


def main():
    logits = tf.constant([[0.1, 1.0, -0.5], [2.0, 0.3, 0.0]])
    actions, adv = tf.constant([1, 0]), tf.constant([1.0, -0.5])
    legal = tf.constant([[True, True, False], [True, False, True]])
    with tf.GradientTape() as tape:
        tape.watch(logits)
        new = tf.math.log(pick(tf.nn.softmax(logits), actions))
        a, lp = squashed(logits, -0.5, 0.3)
        parts = [
            pg_loss(logits, actions, adv), entropy(logits), ppo(new, tf.constant([-0.5, -0.3]), adv), a, lp,
            legal_policy(logits, legal), kl(logits, logits[::-1]), *priority(logits),
        ]
        total = tf.add_n([tf.reduce_sum(p**2) for p in parts])
    none = tf.constant([[False] * 3, [True] * 3])
    return *parts, tape.gradient(total, logits), discount(adv), legal_max(logits, none), ucb(adv, adv * 0 + 2)
