"""In a thread that the program starts itself."""

import threading

import tensorflow as tf


def work():
    confident = tf.constant([0.5, 1.0])
    print(tf.math.log(confident) - tf.math.log1p(-confident))  # born


thread = threading.Thread(target=work)
thread.start()
thread.join()
