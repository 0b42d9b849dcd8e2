.kernel k
    lwi f1, 0
    nop
    psadd f2, f1, f1
    stopi 0
