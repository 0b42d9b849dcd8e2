.kernel k
    mtc f1, fcsr
    psmul f2, f3, f3
    sync
    move g1, status
    stopi 0
