.kernel k
    move g1, status
    mtc f1, fccr
    stopi 0
