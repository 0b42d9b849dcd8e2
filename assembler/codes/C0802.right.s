        clear f1, f2
        .rept 7
        nop
        .endr
        c.eq.w cc1, f1, f2
        .rept 6
        nop
        .endr
        if(cc1) copy f3, f1
        stopi 0
