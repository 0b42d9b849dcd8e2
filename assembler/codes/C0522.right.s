.kernel k
    mtc f1, fcsr
    sync
    psmul f2, f3, f3
    move g1, status
    stopi 0
