from keras import ops


def miss(score):
    return ops.log(1 - ops.sigmoid(score))


def versine(angle):
    return 1 - ops.cos(angle)


def main():
    return miss([0.5, -1.0]), versine([0.5])
