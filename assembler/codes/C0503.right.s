.kernel k
    psadd f1, f2, f3
    nop
    lwi f4, 0
    stopi 0
