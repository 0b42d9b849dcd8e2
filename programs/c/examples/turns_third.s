; Loaded to bundle 16 by turns.c, which the source does not say: it jumps out of instruction memory.
        .kernel third
        | seti  g1, 60000
        nop
away:   | jump  g1
        nop
