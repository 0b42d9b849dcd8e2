        do g2, last
        nop
last:   nop
        nop
        stopi 0
