        .array y, out, int64, 2
        clear f1, f2 | seti a0, y
        .rept 7
        nop
        .endr
        .rept 3
        | swo f1, (r0)+1
        .endr
        stopi 0
        .lmem all
y:      .zero 2
