.kernel k
    mtc f1, fccr
    sync
    move g1, status
    stopi 0
