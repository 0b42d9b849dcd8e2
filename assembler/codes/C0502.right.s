.kernel k
    psadd f1, f2, f3
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    swi f1, 1
    lwi f1, 0
    stopi 0
