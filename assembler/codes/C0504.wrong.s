.kernel k
    lwi f1, 0
    lwi f1, 1
    nop
    nop
    swi f1, 2
    stopi 0
