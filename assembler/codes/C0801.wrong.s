        seti a0, 16
        | swo f1, (r0)+1
        stopi 0
