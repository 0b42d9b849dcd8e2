        seti a0, x + 1
        .linear
        .even r0
        ldo %a:%b, (r0)+2
        .endlinear
        stopi 0
        .lmem all
x:      .zero 4
