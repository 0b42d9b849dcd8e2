        seti g1, 7
        nop
        nop
        stop g1
