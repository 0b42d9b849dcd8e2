        clear f1, f2 | seti a0, 16
        .rept 7
        nop
        .endr
        | swo f1, (r0)+1
        stopi 0
