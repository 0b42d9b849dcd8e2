        seti g2, 3
        nop
        nop
        do g2, last
        nop
last:   nop
        nop
        stopi 0
