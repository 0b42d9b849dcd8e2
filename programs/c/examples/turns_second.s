; The second of two kernels that turns.c loads to the same place; it is longer.
        .kernel second
        | seti  g4, 5
        | seti  g5, 6
middle: | move  g6, g4
        | move  g7, g5
        nop
        nop
        nop
        nop
        | stopi 2
