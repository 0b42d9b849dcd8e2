        .kernel sum
        .arg    n, g2, min=2
        .array  x, in, float64, 2*n
        stopi 0
        .lmem all
x:      .zero 64
