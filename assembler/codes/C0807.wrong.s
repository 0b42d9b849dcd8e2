        seti a0, 17
        | ldo f2, (r0)+2
        stopi 0
