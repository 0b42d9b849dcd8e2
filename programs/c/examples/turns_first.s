; The first of two kernels that turns.c loads to the same place: a loop of g0 turns.
        .kernel first
        | seti  g3, 0
        nop
        | do    g0, last
again:  | move  g3, g0
last:   nop
        nop
        | stopi 1
