        seti a0, 16
        | ldo f2, (r0)+2
        stopi 0
