.kernel k
    lwi f1, 0
    lwi f2, 1
    nop
    nop
    swi f2, 2
    stopi 0
